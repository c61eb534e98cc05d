import { Problem } from '../../../client/client.ts';
import { callerOf, type Entry, hasEnded, idOf, numberOf, subjectOf } from '../../../client/entry.ts';
import { shownStatus } from '../../model/status.ts';
import { inWords } from '../../service/api.ts';
import { useStore } from '../../service/store.ts';
import { useReading } from '../../service/use-reading.ts';
import { useWorkspace } from '../../service/workspace.ts';
import { Skeleton } from '../deploys/skeleton.tsx';
import { Alert } from '../parts/alert.tsx';
import { Back } from '../parts/link.tsx';
import { Status } from '../parts/status.tsx';
import { useTitle } from '../parts/title.ts';
import { Facts } from './facts.tsx';
import { Logs } from './logs.tsx';
import { Next } from './next.tsx';
import { Stages } from './stages.tsx';
import { Verdict } from './verdict.tsx';

/** One deploy: why it is where it is, what has happened, and what to do next. */
export function Deploy({ id }: { id: string }) {
  const { entry, failure } = useEntry(id);
  useTitle(entry ? `${subjectOf(entry)} #${numberOf(entry)} ${shownStatus(entry).label.toLowerCase()}` : 'Deploy');
  if (!entry) return <Missing failure={failure} />;
  return (
    <article class="page deploy">
      <Back to={{ view: 'deploys' }}>Deploys</Back>
      <header class="title flow split wrap">
        <div>
          <h1>
            {subjectOf(entry)} <span class="faint number">#{numberOf(entry)}</span>
          </h1>
          <p>{entry.doc?.message ?? byHand(entry)}</p>
        </div>
        <Status of={entry} />
      </header>
      <Verdict entry={entry} />
      <Next entry={entry} />
      <div class="columns grid">
        <Stages stages={entry.doc?.stages ?? []} isFinal={hasEnded(entry)} isHeld={entry.status === 'held'} />
        <Facts entry={entry} />
      </div>
      <Logs entry={entry} />
    </article>
  );
}

function byHand(entry: Entry): string {
  const { operation } = entry;
  if (operation === 'incident') return 'Outside of a deploy';
  if (operation) return `${operation[0]?.toUpperCase()}${operation.slice(1)}, requested manually`;
  return entry.provider === 'manual' ? 'Asked for by hand' : `By ${callerOf(entry)}`;
}

function Missing({ failure }: { failure: string | null }) {
  return (
    <div class="page">
      <Back to={{ view: 'deploys' }}>Deploys</Back>
      {failure ? (
        <>
          {failure === UNKNOWN && (
            <div class="title flow split wrap">
              <h1>No such deploy</h1>
            </div>
          )}
          <Alert text={failure} />
        </>
      ) : (
        <Skeleton rows={5} />
      )}
    </div>
  );
}

const UNKNOWN = 'There is no deploy of yours with this address.';

function whyMissing(error: unknown): string {
  return error instanceof Problem && error.status === 404 ? UNKNOWN : inWords(error);
}

/** The entry as the log knows it; one that it does not know yet is read. */
function useEntry(id: string): { readonly entry: Entry | null; readonly failure: string | null } {
  const { log, loadEntry } = useWorkspace();
  const entry = useStore(log).entries.get(id) ?? null;
  const isKnown = entry?.doc !== undefined;
  const read = async () => {
    if (!isKnown) await loadEntry(id);
  };
  const failure = useReading(read, `${id} ${isKnown}`, whyMissing);
  return { entry: entry && idOf(entry) === id ? entry : null, failure };
}
