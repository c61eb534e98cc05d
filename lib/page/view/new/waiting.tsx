import { useRef, useState } from 'preact/hooks';
import type { LastRefused } from '../../../../functions/api/shapes/log.ts';
import { type Entry, idOf, numberOf, subjectOf } from '../../../client/entry.ts';
import { safeUrl } from '../../model/links.ts';
import { calledSince } from '../../model/push.ts';
import { timeOfDay } from '../../model/time.ts';
import { useStore } from '../../service/store.ts';
import { usePolling, useReading } from '../../service/use-reading.ts';
import { useWorkspace } from '../../service/workspace.ts';
import { Row } from '../deploys/row.tsx';
import { Alert } from '../parts/alert.tsx';
import { Mark } from '../parts/icons.tsx';
import { ErrorCode, Link, Open } from '../parts/link.tsx';

type RefusedCall = NonNullable<LastRefused['refused']>;

const SHOWN = 3;
const ASK_MS = 3000;

interface WaitingProps {
  readonly what: string;
  /** Whether a webhook is waited for, whose call may be refused. */
  readonly isWebhook?: boolean;
}

/** Shows what has arrived since the view was opened: nothing yet, a refused call, or deploys until they are live. */
export function Waiting({ what, isWebhook = false }: WaitingProps) {
  const { log, loadMore } = useWorkspace();
  const { ordered } = useStore(log);
  const [newest, setNewest] = useState<number | null>(null);
  const failure = useReading(async () => {
    if (!log.value.extents.has('')) await loadMore('');
    const [first] = log.value.ordered;
    setNewest(first ? numberOf(first) : 0);
  });
  const called = newest === null ? [] : calledSince(ordered, newest).slice(0, SHOWN);
  const refused = useRefused(isWebhook && called.length === 0);
  return (
    <div class="arrival stack">
      <p class={`flow ${called.length > 0 ? 'good' : 'muted'}`} role="status">
        {called.length > 0 ? (
          <>
            <Mark shape="check" tone="good" /> It has come.
          </>
        ) : (
          <>
            <span class="busy dot pulse" aria-hidden="true" /> Waiting for {what} …
          </>
        )}
      </p>
      <Alert text={failure} />
      {refused && <Refusal call={refused} />}
      {called.length > 0 && (
        <ul class="rows card">
          {called.map((entry) => (
            <Row key={idOf(entry)} entry={entry} isCurrent={false} />
          ))}
        </ul>
      )}
      {called[0] && <Live entry={called[0]} />}
    </div>
  );
}

/** Why a call has no entry, and who sent it. */
function Refusal({ call: { at, code, detail, agent } }: { call: RefusedCall }) {
  return (
    <div class="alert bad tinted" role="alert">
      <strong>
        A call came at {timeOfDay(Date.parse(at))}
        {agent && ` from ${agent}`}, and was refused.
      </strong>
      <p>
        {detail} <ErrorCode code={code} />
      </p>
    </div>
  );
}

/** The last refused call that came since the view was opened; it is asked for while the page is shown. */
function useRefused(isWanted: boolean): RefusedCall | null {
  const { api } = useWorkspace();
  const [refused, setRefused] = useState<RefusedCall | null>(null);
  const before = useRef<string | null | undefined>(undefined);
  usePolling(ASK_MS, isWanted ? 'refused' : null, async () => {
    const { refused: last } = await api.call<LastRefused>({ path: ['status', api.user, 'refused'] });
    if (before.current === undefined) before.current = last?.at ?? null;
    else if (last && last.at !== before.current) setRefused(last);
  });
  return isWanted ? refused : null;
}

function Live({ entry }: { entry: Entry }) {
  const url = entry.status === 'ok' ? safeUrl(entry.url) : null;
  if (!url || !entry.app_name) return null;
  return (
    <p class="buttons">
      <Open url={url} />
      <Link class="button" to={{ view: 'app', name: entry.app_name }}>
        {subjectOf(entry)}: logs, variables, settings
      </Link>
    </p>
  );
}
