"""The diagnosis of the quick start."""

import numpy as np

from manyviews import diagnose
from manyviews.plot import DiagnosisDisplay

rng = np.random.default_rng(0)
y = rng.integers(2, size=300)
sensors = {
    "microphone": rng.normal(size=(300, 8)) + 0.7 * y[:, None],
    "camera": rng.normal(size=(300, 5)) + 0.8 * y[:, None],
    "clock": rng.normal(size=(300, 2)),
}
sensors["camera"][100:160] = np.nan
DiagnosisDisplay.from_diagnosis(diagnose(sensors, y))
