"""Tables and figures of MaRVL-QA's results."""

from planimeter.evals.scores.suites.marvl_qa.figures import figures as figures
from planimeter.evals.scores.suites.marvl_qa.tables import tables as tables
