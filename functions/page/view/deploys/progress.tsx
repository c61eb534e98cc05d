import type { Stage } from '../../../../lib/client/entry.ts';
import { currentStage, stageStates } from '../../model/stages.ts';
import { Took } from '../moment.tsx';

/** The progress of a deploy: a bar for each stage, and the current one in words. */
export function Progress({ stages }: { stages: readonly Stage[] }) {
  const states = stageStates(stages, false);
  const current = currentStage(states);
  return (
    <p class="progress">
      <span class="bars" aria-hidden="true">
        {states.map(({ name, state }) => (
          <i key={name} class={state} />
        ))}
      </span>
      <span>{current?.state === 'running' ? current.name : `${current?.name ?? 'start'} is next`}</span>
      {current?.record && current.state === 'running' && (
        <span class="faint">
          <Took from={current.record.started_at} to={null} />
        </span>
      )}
      {(current?.record?.attempts ?? 1) > 1 && <span class="tries">try {current?.record?.attempts}</span>}
    </p>
  );
}
