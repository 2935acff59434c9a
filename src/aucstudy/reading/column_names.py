"""What the name of a column suggests that the column holds."""

import re

# The last word of a name that says what a row belongs to, and words that may follow it.
_UNITS = {"patient", "subject", "user", "customer", "case", "group", "id", "uid"}
# Further such words. They may also name what stacked models were run on, so values decide between the two.
_WIDER_UNITS = {
    "animal", "article", "author", "batch", "center", "centre", "client", "clinic", "clinician", "cluster", "device",
    "doc", "doctor", "document", "donor", "encounter", "family", "hospital", "household", "image", "machine", "member",
    "mouse", "mrn", "owner", "participant", "person", "physician", "plate", "plot", "practice", "pupil", "respondent",
    "run", "school", "sensor", "session", "shop", "site", "slide", "speaker", "station", "store", "student", "subj",
    "teacher", "video", "village", "visit", "ward", "writer",
}  # fmt: skip
# The last word of a name that says a property of a row, which is no score.
_PROPERTIES = {
    "age", "amount", "bmi", "date", "day", "dob", "duration", "gender", "height", "hour", "income", "latitude",
    "longitude", "month", "phone", "postcode", "price", "sex", "time", "timestamp", "week", "year", "zip", "zipcode",
}  # fmt: skip
# Words that say, after a property, that it has classes: an age group.
_CLASSED = {"band", "bracket", "group", "range"}
_LABELS = {
    "actual", "class", "died", "event", "gold", "groundtruth", "label", "outcome", "response", "target", "truth", "y",
}  # fmt: skip
# A name with one of these words may be that of a model, whatever its other words are.
_PREDICTED = {
    "classifier", "hat", "logit", "model", "p", "pred", "predicted", "prediction", "preds", "prob", "proba",
    "probability", "risk", "score", "yhat",
}  # fmt: skip
_MODELS = {"model", "classifier", "algorithm", "learner", "estimator", "method"}
_NUMBER_WORDS = {"no", "nr", "num", "number", "key", "code", "name", "uuid"}
_JOINED = re.compile(r"(?:row|case|patient|user|customer|subject|record)ids?")
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_OPTIONS = {
    "fold": "--fold", "folds": "--fold", "cv_fold": "--fold", "cv_folds": "--fold", "split": "--fold",
    "splits": "--fold", "rep": "--repeat", "repeat": "--repeat", "repeats": "--repeat", "weight": "--weight",
    "weights": "--weight", "sample_weight": "--weight", "sample_weights": "--weight", "group": "--group",
    "groups": "--group", "seed": "--repeat", "random_seed": "--repeat", "random_state": "--repeat",
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
    """Return the option that names a column of this name, such as --fold, or None.

    >>> [option_of(name) for name in ("Fold", "cv-fold", "fold_id", "seed", "seedling")]
    ['--fold', '--fold', '--fold', '--repeat', None]
    """
    words = re.sub(r"[-. ]", "_", name.strip().lower())
    return _OPTIONS.get(words) or _OPTIONS.get(re.sub(r"_(?:id|no|nr|num|number)$", "", words))


def is_unit(name: str) -> bool:
    """Return whether a name ends in what rows may belong to, such as a patient, or in the number of one.

    >>> [is_unit(name) for name in ("patient_id", "subjectNo", "CASE", "userid", "hybrid", "case_weighted")]
    [True, True, True, True, False, False]
    >>> [is_unit(name) for name in ("group", "patient_group", "age_group", "blood_group")]
    [True, True, False, False]
    """
    *others, last = _words_of(name) or [""]
    last = last.removesuffix("s")
    if last == "group" and others:  # The group of a property is a class.
        return others[-1].removesuffix("s") in _UNITS | _WIDER_UNITS
    return last in _UNITS or bool(_JOINED.fullmatch(last))


def may_be_unit(name: str) -> bool:
    """Return whether a name ends in a word for what rows may belong to, of a wider choice than that of `is_unit`.

    >>> [may_be_unit(name) for name in ("participant", "hospital_code", "MRN", "session", "site_score", "persona")]
    [True, True, True, True, False, False]
    """
    words = _words_of(name)
    return is_unit(name) or (
        bool(words) and not {words[-1], words[-1].removesuffix("s")}.isdisjoint(_WIDER_UNITS)
    )


def is_property(name: str) -> bool:
    """Return whether a name says a property of a row, such as an age or a year, and not what a model predicted.

    >>> [is_property(name) for name in ("age", "Year", "age_at_visit", "birth_year", "score_by_age", "teenage")]
    [True, True, False, True, False, False]
    >>> is_property("age_group"), is_property("group")
    (True, False)
    """
    words = [word.removesuffix("s") for word in _words_of(name)]
    if len(words) > 1 and words[-1] in _CLASSED:
        words.pop()
    return bool(words) and words[-1] in _PROPERTIES and not is_prediction(name)


def is_second_label(name: str, label: str) -> bool:
    """Return whether a name is that of a label, or is like that of the label, and not what a model predicted.

    >>> [is_second_label(name, "died_30d") for name in ("died_1y", "outcome", "died_pred", "forest")]
    [True, True, False, False]
    """
    words = _words_of(name)
    alike = {word for word in words if len(word) > 2} & {*_words_of(label)}
    return not is_prediction(name) and bool(alike or not _LABELS.isdisjoint(words))


def is_prediction(name: str) -> bool:
    """Return whether a name says that the column holds what a model predicted.

    >>> [is_prediction(name) for name in ("y_pred", "score_by_age", "predicate")]
    [True, True, False]
    """
    return not _PREDICTED.isdisjoint(_words_of(name))


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
