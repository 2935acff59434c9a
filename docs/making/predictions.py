"""The program that writes docs/predictions.csv: scores of three models for made-up customers.

README audits this file. `python docs/making/predictions.py` writes it again. Fitted models differ a little
between processors and releases.
"""

from pathlib import Path

import pandas as pd
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

FILE = Path(__file__).parents[1] / "predictions.csv"
MODELS = {
    "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
    "forest": RandomForestClassifier(100, random_state=0),
    "neighbours": make_pipeline(StandardScaler(), KNeighborsClassifier(30)),
}

if __name__ == "__main__":
    X, y = make_classification(
        2000, n_features=12, n_informative=5, weights=[0.97], flip_y=0.01, class_sep=0.8, random_state=4
    )
    scores = {
        name: cross_val_predict(model, X, y, cv=5, method="predict_proba")[:, 1].round(6)
        for name, model in MODELS.items()
    }
    labels = pd.Series(y).map({1: "yes", 0: "no"}).rename("churned")
    pd.DataFrame({labels.name: labels, **scores}).to_csv(FILE, index=False, lineterminator="\n")
