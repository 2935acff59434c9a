"""The folder of a study, which may be anywhere: its files, code, packages, and the settings of its source.

`studies/<name>/study.yaml` may name `source: ./source.py` and `experiments: [disagreement, ./hits]`. Nothing in this
package knows one of these folders by name.
"""
