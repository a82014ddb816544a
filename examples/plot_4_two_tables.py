"""
Views.align: two tables with different rows
===========================================

One table has the means of ten features of cell nuclei, the other has their worst values. Some
patients are in both, some only in one, and the order differs. ``Views.align`` matches the rows by
their index; from there a cross-validated pipeline is three lines.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from manyviews import MergeViews, PerView, SplitViews, Views

# %%
# The breast cancer data that come with scikit-learn are cut into these two tables. Then rows are
# taken out of each, what is left is shuffled, and a few single cells are lost.

frame = load_breast_cancer(as_frame=True)
names = [f"patient{number:03d}" for number in range(len(frame.data))]
everything = frame.data.set_axis(names)
diagnosis = pd.Series(frame.target.to_numpy(), index=names)

rng = np.random.default_rng(0)
mean = everything.filter(like="mean ").sample(frac=0.7, random_state=0)
worst = everything.filter(like="worst ").sample(frac=0.6, random_state=1)
mean = mean.mask(rng.random(mean.shape) < 0.01)
print(f"{len(mean)} rows and {len(worst)} rows, {len(mean.index.intersection(worst.index))} common")

# %%
# A missing *view* is not a missing *cell*: the first is known to the presence mask, the second is a
# NaN inside an observed row.

views = Views.align({"mean": mean, "worst": worst})
print(views)
n_cells = int(np.isnan(views["mean"][views.observed_in("mean")]).sum())
print(f"{(~views.observed).sum()} views are missing, and {n_cells} single cells")

# %%
# Who is in which table, a column per patient; dark is observed.

figure, axes = plt.subplots(figsize=(7, 1.3), layout="constrained")
axes.imshow(views.observed.T, aspect="auto", interpolation="nearest", cmap="Blues", vmax=1.3)
axes.set(yticks=[0, 1], yticklabels=views.names, xlabel="patient")
axes.set_yticks([0.5], minor=True)
axes.grid(which="minor", axis="y", color="white", linewidth=4)
axes.tick_params(which="both", length=0)
axes.spines[:].set_visible(False)
plt.show()

# %%
# Labels are looked up by the names that ``align`` has kept.

y = diagnosis.loc[views.sample_ids].to_numpy()

# %%
# Three ways to go on. All use every patient that is in either table. Those who are only in the
# second table stand at the end, so the folds have to be shuffled.

impute_and_scale = PerView(make_pipeline(SimpleImputer(), StandardScaler()))
models = {
    "fill by the mean": make_pipeline(impute_and_scale, MergeViews(), LogisticRegression()),
    "fill, and say what was filled": make_pipeline(
        impute_and_scale, MergeViews(indicator=True), LogisticRegression()
    ),
    "trees that understand gaps": make_pipeline(
        MergeViews(fill="nan"), HistGradientBoostingClassifier(max_iter=30, random_state=0)
    ),
}
folds = StratifiedKFold(3, shuffle=True, random_state=0)
scores = {name: cross_val_score(model, views, y, cv=folds).mean() for name, model in models.items()}

# %%
# And what is usual: join the tables and drop whoever is not in both.

both = views.drop_unobserved()
y_both = diagnosis.loc[both.sample_ids].to_numpy()
model = models["fill by the mean"]
scores["only patients in both tables"] = cross_val_score(model, both, y_both, cv=folds).mean()

print(f"{'':<32}{'patients':>8}  accuracy")
for name, score in scores.items():
    n_patients = len(both) if "both" in name else len(views)
    print(f"{name:<32}{n_patients:>8}  {score:.3f}")

# %%
# Dropping looks good on paper, but it answers for fewer than half of the patients.
#
# The fitted model takes new patients with one table only: the other view is given as ``None``. Here
# are some who were in neither table.

fitted = model.fit(views, y)
newcomers = everything.drop(index=views.sample_ids).filter(like="mean ")
predicted = fitted.predict({"mean": newcomers, "worst": None})
right = (predicted == diagnosis.loc[newcomers.index]).mean()
print(f"{len(newcomers)} new patients, known by the first table only: {right:.3f} right")

# %%
# Where the tables come joined, side by side in one frame, ``SplitViews`` cuts them apart again.

joined = everything.filter(regex="mean |worst ")
columns = {name: [c for c in joined if c.startswith(name)] for name in ("mean", "worst")}
apart = SplitViews(columns).fit_transform(joined)
print(apart)
