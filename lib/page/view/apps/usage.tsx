import type { ComponentChildren } from 'preact';
import type { UsedMinute } from '../../../../functions/api/shapes/processes.ts';
import { memoryText } from '../../../client/processes.ts';
import { CLASSES, MINUTES, type UsageGraphs, usageGraphs } from '../../model/usage.ts';

const HEIGHT = 40;
const WIDTH = 6;

/** The last hour of an application: its requests by minute and class of status, and its memory. */
export function Usage({ minutes }: { minutes: readonly UsedMinute[] }) {
  const { bars, most, totals, memory, lastMemory, mostMemory } = usageGraphs(minutes, Date.now());
  const total = totals.reduce((sum, [, count]) => sum + count, 0);
  const counts = totals.filter(([, count]) => count > 0);
  const line = memory.map(([place, bytes]) => `${place * WIDTH + WIDTH / 2},${HEIGHT * (1 - bytes / mostMemory)}`);
  return (
    <section aria-labelledby="usage">
      <h2 id="usage">Last hour</h2>
      <div class="graphs grid">
        <Graph title="Requests" about={total === 0 ? 'none' : `${total}, at most ${most} a minute`} counts={counts}>
          {bars.map(({ place, of, from, height }) => (
            <rect
              key={`${place} ${of}`}
              class={CLASSES[of]}
              x={place * WIDTH + 1}
              y={HEIGHT * (1 - from - height)}
              width={WIDTH - 2}
              height={HEIGHT * height}
            />
          ))}
        </Graph>
        <Graph
          title="Memory"
          about={lastMemory === null ? 'not measured' : `${memoryText(lastMemory)}, at most ${memoryText(mostMemory)}`}
        >
          {/* A single measurement is a point: a line from it to itself. */}
          {line.length > 0 && <polyline class="busy" points={[...line, line.at(-1)].join(' ')} />}
        </Graph>
      </div>
    </section>
  );
}

interface GraphProps {
  readonly title: string;
  readonly about: string;
  /** How many requests were answered with each class of statuses. */
  readonly counts?: UsageGraphs['totals'];
  readonly children: ComponentChildren;
}

function Graph({ title, about, counts = [], children }: GraphProps) {
  return (
    <figure class="card graph">
      <figcaption class="flow wrap">
        <strong>{title}</strong> <span class="muted">{about}</span>{' '}
        {counts.map(([of, count]) => (
          <span key={of} class={CLASSES[of]}>
            {of} <b>{count}</b>
          </span>
        ))}
      </figcaption>
      <svg viewBox={`0 0 ${MINUTES * WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        {children}
      </svg>
    </figure>
  );
}
