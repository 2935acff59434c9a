"""The folder of a study, which may stand anywhere: its files, its code, the settings of its source, its packages.

`studies/<name>/study.yaml` may name `source: ./source.py` and `experiments: [disagreement, ./hits]`. Nothing in this
package knows one of these folders by name.
"""
