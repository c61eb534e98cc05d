import { answers } from '../../../client/applications.ts';
import { type Entry, idOf, numberOf } from '../../../client/entry.ts';
import { safeUrl } from '../../model/links.ts';
import { shownStatus } from '../../model/status.ts';
import { clock } from '../../model/time.ts';
import { useStore } from '../../service/store.ts';
import { useWorkspace } from '../../service/workspace.ts';
import { Scroll } from '../parts/code-block.tsx';
import { Copy } from '../parts/copy.tsx';
import { Mark } from '../parts/icons.tsx';
import { ErrorCode, External, Link } from '../parts/link.tsx';
import { Until } from '../parts/moment.tsx';

/** The outcome of the deploy in one sentence: the reason, or the address. */
export function Verdict({ entry }: { entry: Entry }) {
  const { tone, shape } = shownStatus(entry);
  const url = safeUrl(entry.url);
  if (entry.status === 'ok' && url) {
    return (
      <section class={`grid tinted verdict ${tone}`} aria-label="Outcome">
        <Mark shape={shape} tone={tone} size={20} />
        <div>
          <p class="sentence">
            <External url={url}>{url}</External>
            <Copy text={url} label="Copy the address" />
          </p>
          {entry.warning && <p class="cause muted">{entry.warning}</p>}
        </div>
      </section>
    );
  }
  const reason = entry.reason ?? entry.error?.detail;
  if (!reason) return null;
  return (
    <section class={`grid tinted verdict ${tone}`} aria-label="Reason">
      <Mark shape={shape} tone={tone} size={20} />
      <div>
        <p class="sentence">{reason}</p>
        {entry.error && <Cause error={entry.error} reason={reason} />}
        {entry.status === 'held' && entry.expires_at && (
          <p class="cause muted">
            Expires <Until at={entry.expires_at} />, at {clock(Date.parse(entry.expires_at))}.
          </p>
        )}
        {tone === 'bad' && <StillRuns entry={entry} />}
        {(entry.doc?.log_tail.length ?? 0) > 0 && (
          <Scroll
            class="card tail"
            name="The last lines that it printed"
            text={(entry.doc?.log_tail ?? []).join('\n')}
            fromEnd
          />
        )}
      </div>
    </section>
  );
}

/** Says which deploy still serves: a failed deploy leaves the previous one running. */
function StillRuns({ entry }: { entry: Entry }) {
  const { apps } = useWorkspace();
  const app = useStore(apps)?.find(({ name }) => name === entry.app_name);
  if (!app?.active || !answers(app) || idOf(app.active) === idOf(entry)) return null;
  return (
    <p class="cause muted">
      {app.name} still runs <Link to={{ view: 'deploy', name: idOf(app.active) }}>#{numberOf(app.active)}</Link>.
    </p>
  );
}

function Cause({ error, reason }: { error: NonNullable<Entry['error']>; reason: string }) {
  return (
    <p class="cause muted">
      {error.detail !== reason && <>{error.detail} </>}
      <ErrorCode code={error.code} />
    </p>
  );
}
