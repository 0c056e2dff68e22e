"""Tables and figures of MaRVL-QA's results."""

from planimeter.scores.suites.marvl_qa.figures import figures as figures
from planimeter.scores.suites.marvl_qa.tables import tables as tables
