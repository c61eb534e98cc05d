import { Component } from 'preact';
import {
  type Entry,
  hasEnded,
  idOf,
  numberOf,
  type Stage,
  shaOf,
  stageWord,
  subjectOf,
} from '../../../client/entry.ts';
import { safeUrl } from '../../model/links.ts';
import { currentStage, stageStates } from '../../model/stages.ts';
import { isEvent, shownStatus } from '../../model/status.ts';
import { Branch, Glyph } from '../parts/icons.tsx';
import { Link, OpenIcon } from '../parts/link.tsx';
import { Moment, Took, Until } from '../parts/moment.tsx';
import { Status } from '../parts/status.tsx';

interface RowProps {
  readonly entry: Entry;
  /** Whether the application runs what this entry deployed. */
  readonly isCurrent: boolean;
}

/** One entry in a list. It is drawn again only when the entry has changed: a list may have thousands. */
export class Row extends Component<RowProps> {
  override shouldComponentUpdate(next: RowProps): boolean {
    return next.entry !== this.props.entry || next.isCurrent !== this.props.isCurrent;
  }

  override render({ entry, isCurrent }: RowProps) {
    if (isEvent(entry) && entry.status === 'ok') return <Event entry={entry} />;
    const { doc } = entry;
    return (
      <li class="grid row">
        <div class="flow">
          <Status of={entry} />
          {isCurrent && <span class="busy pill tinted">Current</span>}
        </div>
        <div class="row-what">
          <Link class="flow row-link" to={{ view: 'deploy', name: idOf(entry) }}>
            <strong class="ellipsis">{subjectOf(entry)}</strong>
            <span class="ellipsis message muted">{doc?.message ?? (entry.operation ? 'By hand' : '')}</span>
          </Link>
          <Why entry={entry} />
        </div>
        <Source entry={entry} />
        <div class="muted note row-when">
          <span class="flow">
            <OpenIcon url={isCurrent ? safeUrl(entry.url) : null} name={subjectOf(entry)} />
            {doc && <Moment at={doc.received_at} />}
          </span>
          <span class="faint number">
            {doc && entry.status === 'ok' && doc.finished_at && (
              <span class="took">
                <Took from={doc.received_at} to={doc.finished_at} />
              </span>
            )}
            #{numberOf(entry)}
          </span>
        </div>
      </li>
    );
  }
}

/** A restart, a stop, a removal: one line. */
function Event({ entry }: Pick<RowProps, 'entry'>) {
  return (
    <li class="event grid muted note row">
      <Status of={entry} />
      <Link class="row-link" to={{ view: 'deploy', name: idOf(entry) }}>
        <span class="ellipsis">{subjectOf(entry)}</span>
      </Link>
      <div class="muted note row-when">
        {entry.doc && <Moment at={entry.doc.received_at} />}
        <span class="faint number">#{numberOf(entry)}</span>
      </div>
    </li>
  );
}

/** Why the deploy is where it is: the stage that runs, or the reason in a sentence. */
function Why({ entry }: { entry: Entry }) {
  if (!hasEnded(entry) && entry.status !== 'held')
    return <Progress stages={entry.doc?.stages ?? []} reason={entry.reason} />;
  const reason = entry.reason ?? (entry.status === 'ok' ? entry.warning : entry.error?.detail);
  if (!reason) return null;
  return (
    <p class={`reason note ${shownStatus(entry).tone === 'bad' ? 'bad' : 'muted'}`}>
      {reason}
      {entry.expires_at && (
        <>
          {' '}
          Expires <Until at={entry.expires_at} />.
        </>
      )}
    </p>
  );
}

function Source({ entry }: { entry: Entry }) {
  const sha = shaOf(entry);
  return (
    <div class="row-source stack">
      {entry.doc?.branch && <Branch name={entry.doc.branch} />}
      {sha && (
        <span class="code flow muted ref">
          <Glyph name="commit" size={14} />
          <span class="visually-hidden">Commit </span>
          {sha.slice(0, 7)}
        </span>
      )}
      {!sha && !entry.doc?.branch && <span class="code flow muted ref">{entry.provider}</span>}
    </div>
  );
}

/** The progress of a deploy: a bar for each stage, the current one in words, and what it waits for. */
function Progress({ stages, reason }: { stages: readonly Stage[]; reason: Entry['reason'] }) {
  const states = stageStates(stages, false);
  const current = currentStage(states);
  const word = stageWord(current?.name ?? 'start');
  return (
    <p class="flow muted note progress wrap">
      <span class="bars" aria-hidden="true">
        {states.map(({ name, state }) => (
          <i key={name} class={state} />
        ))}
      </span>
      <span>{current?.state === 'running' ? word : `${word} is next`}</span>
      {current?.record && current.state === 'running' && (
        <span class="faint">
          <Took from={current.record.started_at} to={null} />
        </span>
      )}
      {(current?.record?.attempts ?? 1) > 1 && <span class="wait">try {current?.record?.attempts}</span>}
      {reason && <span class="wait">{reason}</span>}
    </p>
  );
}
