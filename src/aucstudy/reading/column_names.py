"""What the name of a column suggests that the column holds."""

import re

# The last word of a name that says what a row belongs to, and words that may follow it.
_UNITS = {"patient", "subject", "user", "customer", "case", "group", "id", "uid"}
_MODELS = {"model", "classifier", "algorithm", "learner", "estimator", "method"}
_NUMBER_WORDS = {"no", "nr", "num", "number", "key", "code", "name", "uuid"}
_JOINED = re.compile(r"(?:row|case|patient|user|customer|subject|record)ids?")
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_OPTIONS = {
    "fold": "--fold", "folds": "--fold", "cv_fold": "--fold", "cv_folds": "--fold", "split": "--fold",
    "splits": "--fold", "rep": "--repeat", "repeat": "--repeat", "repeats": "--repeat", "weight": "--weight",
    "weights": "--weight", "sample_weight": "--weight", "sample_weights": "--weight", "group": "--group",
    "groups": "--group",
}  # fmt: skip
# A name that ends in these letters alone, such as grid or hybrid, may be that of a model.
_INDEX = re.compile(
    r"(?i:|index|row|row[_. ]?names?|level_\d+|unnamed: \d+|\.\.\.\d+|__index_level_.*"
    r"|id|.*[_\-. ]id|(?:row|case|patient|user|customer|subject|record)(?:[_\-. ]?(?:id|no|nr|num|number))?)"
    r"|.*[a-z](?:Id|ID)",
    re.DOTALL,
)


def is_index(name: str) -> bool:
    """Return whether a name is that of an index or of the number of a row, a case or a person.

    >>> [is_index(name) for name in ("", "row", "Unnamed: 0", "visit_id", "patientId", "hybrid", "fold")]
    [True, True, True, True, True, False, False]
    """
    return bool(_INDEX.fullmatch(name.strip()))


def option_of(name: str) -> str | None:
    """Return the option that names a column of this name, such as --fold, or None."""
    return _OPTIONS.get(re.sub(r"[-. ]", "_", name.strip().lower()))


def is_unit(name: str) -> bool:
    """Return whether a name ends in what rows may belong to, such as a patient, or in the number of one.

    >>> [is_unit(name) for name in ("patient_id", "subjectNo", "CASE", "userid", "hybrid", "case_weighted")]
    [True, True, True, True, False, False]
    """
    words = _words_of(name)
    return bool(words) and (words[-1].removesuffix("s") in _UNITS or bool(_JOINED.fullmatch(words[-1])))


def is_model(name: str) -> bool:
    """Return whether a name is that of a column of models, such as model or classifier_name.

    >>> [is_model(name) for name in ("Model", "model_no", "classifierName", "model_id", "model_a", "clinical_model")]
    [True, True, True, True, False, False]
    """
    words = [word for word in _words_of(name) if word != "id"]
    return len(words) == 1 and words[0] in _MODELS


def _words_of(name: str) -> list[str]:
    """Return the words of a name without those at its end that only say that it is a number or a name."""
    words = [word.lower() for word in _WORDS.findall(name)]
    while len(words) > 1 and words[-1] in _NUMBER_WORDS:
        words.pop()
    return words
