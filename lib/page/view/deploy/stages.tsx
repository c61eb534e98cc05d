import { type Stage, stageWord } from '../../../client/entry.ts';
import { type StageState, stageStates } from '../../model/stages.ts';
import type { Shape, Tone } from '../../model/status.ts';
import { inFull, timeOfDay } from '../../model/time.ts';
import { Mark } from '../parts/icons.tsx';
import { Took } from '../parts/moment.tsx';

interface StagesProps {
  readonly stages: readonly Stage[];
  readonly isFinal: boolean;
  readonly isHeld: boolean;
}

type StageMark = readonly [Shape, Tone, words: string];

const marks: Readonly<Record<string, StageMark>> = {
  done: ['check', 'good', 'done'],
  running: ['ring', 'busy', 'running'],
  failed: ['cross', 'bad', 'failed'],
  waiting: ['dots', 'calm', 'not begun'],
  unneeded: ['dots', 'calm', 'did not run'],
};

/** The mark of a status that only a later version of the service knows. */
const UNKNOWN: StageMark = ['dots', 'calm', 'unknown'];

/** The stages of a deploy as they happen: when each began, how long it took, how often it was tried. */
export function Stages({ stages, isFinal, isHeld }: StagesProps) {
  const states = stageStates(stages, isFinal);
  return (
    <section aria-labelledby="stages">
      <h2 id="stages">Stages</h2>
      <ol class="card">
        {states.map((one) => (
          <Step key={one.name} step={one} isHeld={isHeld} />
        ))}
      </ol>
    </section>
  );
}

function Step({ step: { name, does, state, record }, isHeld }: { step: StageState; isHeld: boolean }) {
  const [shape, tone, words] = marks[state] ?? UNKNOWN;
  const detail =
    record?.detail ?? (state === 'waiting' && isHeld && name === 'fetch' ? 'Begins when CI has passed' : does);
  return (
    <li class={`grid step ${state}`}>
      <Mark shape={shape} tone={tone} />
      <div>
        <strong>{stageWord(name)}</strong>
        <span class="visually-hidden">{words}</span>
        {(record?.attempts ?? 1) > 1 && <span class="note wait">{record?.attempts} tries</span>}
        <p class="muted note">{shortened(detail)}</p>
      </div>
      {record && (
        <div class="number step-when">
          <Took from={record.started_at} to={record.finished_at} />
          <time class="faint note" dateTime={record.started_at} title={inFull(Date.parse(record.started_at))}>
            {timeOfDay(Date.parse(record.started_at))}
          </time>
        </div>
      )}
    </li>
  );
}

/** The start of a digest is enough here; the API has the whole. */
function shortened(detail: string): string {
  return detail.replace(/\b([0-9a-f]{8})[0-9a-f]{24,}\b/g, '$1…');
}
