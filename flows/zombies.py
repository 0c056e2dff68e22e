"""Clears away what a killed build left in Prefect: a flow run that says RUNNING for ever.

``kill -9`` gives nobody a chance to report. The journal of the unfinished build names its run, and whoever holds the
dataset's lock knows that the run is dead; so the next build marks it as crashed before it begins.
"""

from uuid import UUID

import httpx
from prefect.client.orchestration import get_client
from prefect.exceptions import ObjectNotFound, PrefectException
from prefect.logging import get_run_logger
from prefect.states import Crashed

from flows import journal
from flows.place import Place


def bury(place: Place) -> None:
    """Mark the run of an earlier, killed build of this version as crashed. Call it while the lock is held."""
    earlier = journal.of(place.store, place.recipe.dataset, place.recipe.version)
    if earlier is None or not earlier.flow_run:
        return
    try:
        with get_client(sync_client=True) as client:
            run = client.read_flow_run(UUID(earlier.flow_run))
            if run.state is None or not run.state.is_final():
                client.set_flow_run_state(
                    run.id, Crashed(message="killed; the next build went on from its shards"), force=True
                )
    except ObjectNotFound:
        # Another server's run, or a database that was removed since.
        return
    except (PrefectException, httpx.HTTPError, ValueError) as error:
        get_run_logger().warning("the run of the killed build could not be marked as crashed: %s", error)
