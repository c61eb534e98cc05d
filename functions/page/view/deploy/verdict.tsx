import type { Entry } from '../../model/entry.ts';
import { safeUrl } from '../../model/links.ts';
import { shownStatus } from '../../model/status.ts';
import { SERVICE } from '../../service/api.ts';
import { Copy } from '../copy.tsx';
import { Mark } from '../icons.tsx';
import { Scroll } from '../scroll.tsx';

/** What became of the deploy, in one sentence that is read first: the reason, or the address. */
export function Verdict({ entry }: { entry: Entry }) {
  const { tone, shape } = shownStatus(entry);
  const url = safeUrl(entry.url);
  if (entry.status === 'ok' && url) {
    return (
      <section class={`verdict ${tone}`} aria-label="Outcome">
        <Mark shape={shape} tone={tone} size={20} />
        <div>
          <p class="sentence">
            <a href={url} target="_blank" rel="noopener noreferrer">
              {url}
            </a>
            <Copy text={url} label="Copy the address" />
          </p>
        </div>
      </section>
    );
  }
  const reason = entry.reason ?? entry.error?.detail;
  if (!reason) return null;
  return (
    <section class={`verdict ${tone}`} aria-label="Reason">
      <Mark shape={shape} tone={tone} size={20} />
      <div>
        <p class="sentence">{reason}</p>
        {entry.error && <Cause error={entry.error} reason={reason} />}
        {(entry.doc?.log_tail.length ?? 0) > 0 && (
          <Scroll class="tail" name="The last lines that it printed" text={(entry.doc?.log_tail ?? []).join('\n')} />
        )}
      </div>
    </section>
  );
}

function Cause({ error, reason }: { error: NonNullable<Entry['error']>; reason: string }) {
  return (
    <p class="cause">
      {error.detail !== reason && <>{error.detail} </>}
      <a class="code" href={`${SERVICE}/errors#${error.code}`} target="_blank" rel="noopener noreferrer">
        {error.code}
      </a>
    </p>
  );
}
