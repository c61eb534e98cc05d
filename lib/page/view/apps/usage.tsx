import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { UsedHour, UsedMinute } from '../../../../functions/api/shapes/processes.ts';
import { memoryText } from '../../../client/processes.ts';
import { CLASSES, SPANS, usageGraphs, type Values, withClasses } from '../../model/usage.ts';
import { Toggle } from '../parts/output.tsx';

const HEIGHT = 40;
const WIDTH = 360;

interface UsageProps {
  readonly minutes: readonly UsedMinute[];
  /** Undefined at a service of an earlier version. */
  readonly week: readonly UsedHour[] | undefined;
}

/** The last hour or week of an application: its requests by class of status, its memory, and the times of a week's answers. */
export function Usage({ minutes, week }: UsageProps) {
  const [isWeek, setWeek] = useState(false);
  const span = week && isWeek ? 'week' : 'hour';
  const used = week && isWeek ? withClasses(week) : minutes;
  const graphs = usageGraphs(used, Date.now(), span);
  const { most, totals, memory, lastMemory, mostMemory, p50, p99, mostTime } = graphs;
  const total = totals.reduce((sum, [, count]) => sum + count, 0);
  const counts = totals.filter(([of, count]) => count > 0 && (span === 'hour' || of === '5xx'));
  const width = WIDTH / SPANS[span].places;
  const times = [['busy', 'p50', p50] as const, ['wait', 'p99', p99] as const];
  return (
    <section aria-labelledby="usage">
      <div class="flow split">
        <h2 id="usage">{span === 'week' ? 'Last 7 days' : 'Last hour'}</h2>
        {week && (
          <span class="flow">
            <Toggle is={!isWeek} onToggle={() => setWeek(false)}>
              1 h
            </Toggle>
            <Toggle is={isWeek} onToggle={() => setWeek(true)}>
              7 d
            </Toggle>
          </span>
        )}
      </div>
      <div class="graphs grid">
        <Graph
          title="Requests"
          about={total === 0 ? 'none' : `${total}, at most ${most} ${span === 'hour' ? 'a minute' : 'an hour'}`}
          labels={counts.map(([of, count]) => [CLASSES[of], of, String(count)])}
        >
          {graphs.bars.map(({ place, of, from, height }) => (
            <rect
              key={`${place} ${of}`}
              class={CLASSES[of]}
              x={(place + 1 / 6) * width}
              y={HEIGHT * (1 - from - height)}
              width={(width * 2) / 3}
              height={HEIGHT * height}
            />
          ))}
        </Graph>
        <Graph
          title="Memory"
          about={lastMemory === null ? 'not measured' : `${memoryText(lastMemory)}, at most ${memoryText(mostMemory)}`}
        >
          <Line tone="busy" values={memory} most={mostMemory} width={width} />
        </Graph>
        {span === 'week' && (
          <Graph
            title="Times of answers"
            about={p99.length === 0 ? 'none' : `p99 at most ${mostTime} ms`}
            labels={times.flatMap(([tone, name, of]) =>
              of.slice(-1).map(([, ms]) => [tone, name, `${ms} ms`] as const),
            )}
          >
            {times.map(([tone, name, of]) => (
              <Line key={name} tone={tone} values={of} most={mostTime} width={width} />
            ))}
          </Graph>
        )}
      </div>
    </section>
  );
}

interface LineProps {
  readonly tone: string;
  readonly values: Values;
  readonly most: number;
  /** Of a place. */
  readonly width: number;
}

function Line({ tone, values, most, width }: LineProps) {
  const points = values.map(([place, value]) => `${(place + 0.5) * width},${HEIGHT * (1 - value / most)}`);
  // A single measurement is a point: a line from it to itself.
  return points.length === 0 ? null : <polyline class={tone} points={[...points, points.at(-1)].join(' ')} />;
}

interface GraphProps {
  readonly title: string;
  readonly about: string;
  readonly labels?: ReadonlyArray<readonly [tone: string, name: string, value: string]>;
  readonly children: ComponentChildren;
}

function Graph({ title, about, labels = [], children }: GraphProps) {
  return (
    <figure class="card graph">
      <figcaption class="flow wrap">
        <strong>{title}</strong> <span class="muted">{about}</span>{' '}
        {labels.map(([tone, name, value]) => (
          <span key={name} class={tone}>
            {name} <b>{value}</b>
          </span>
        ))}
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        {children}
      </svg>
    </figure>
  );
}
