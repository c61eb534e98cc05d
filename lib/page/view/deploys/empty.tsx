import { REPOSITORIES, SERVICE } from '../../service/api.ts';
import { Begin } from '../new/new-app.tsx';
import { Link } from '../parts/link.tsx';

/** The log before the first deploy: how to begin. */
export function FirstRun() {
  return (
    <>
      <Begin />
      {REPOSITORIES === null && (
        <section class="card panel stack" aria-labelledby="no-row">
          <h2 id="no-row">You have pushed, and nothing is here?</h2>
          <NoRow />
        </section>
      )}
    </>
  );
}

/** The answer to "my push did nothing", for a log that has rows. */
export function NothingHappened() {
  return (
    <section class="card panel stack" aria-label="My push did nothing">
      <h2>Is there a row for it?</h2>
      <p>
        Every call that reached the service has a row, and every row that is not deployed says why: the branch is
        another one, it waits for CI, a newer commit replaced it. Open the row to see what to do next.
      </p>
      <h2>There is none</h2>
      <NoRow />
    </section>
  );
}

function NoRow() {
  return (
    <>
      <p class="muted">
        Then the call did not arrive, or was refused. The host’s own webhook page lists its deliveries with the answers:
      </p>
      <dl class="facts grid">
        <dt>no delivery</dt>
        <dd>
          The webhook is missing, is not active, or does not send pushes.{' '}
          <Link to={{ view: 'connect' }}>Set it up</Link>.
        </dd>
        <dt>no answer</dt>
        <dd>The host cannot reach this address. A service on one machine can be called from that machine only.</dd>
        <dt>401</dt>
        <dd>The login in the webhook’s address is wrong or was revoked, or its secret does not match.</dd>
        <dt>400</dt>
        <dd>The payload is not that of a supported sender: check the events and the content type.</dd>
        <dt>404</dt>
        <dd>
          The address is another one than <code>{SERVICE}/1/deploy</code>.
        </dd>
      </dl>
    </>
  );
}
