import { useState } from 'preact/hooks';
import type { Application } from '../../../client/applications.ts';
import {
  type CronJob,
  memoryText,
  type Process,
  type Processes as ProcessList,
  processesIn,
} from '../../../client/processes.ts';
import { shownState } from '../../model/status.ts';
import { useAction } from '../../service/use-action.ts';
import { usePolling, useReading } from '../../service/use-reading.ts';
import { useWorkspace } from '../../service/workspace.ts';
import { Alert } from '../parts/alert.tsx';
import { Moment, Until } from '../parts/moment.tsx';
import { Badge } from '../parts/status.tsx';
import { Usage } from './usage.tsx';

const ASK_MS = 5000;

/** What an application was used for, and its processes with their number. Empty on AWS Lambda. */
export function Processes({ app }: { app: Application }) {
  const { api, refreshApps } = useWorkspace();
  const [known, setKnown] = useState<ProcessList | null>(null);
  const action = useAction();
  const path = ['apps', api.user, app.name, 'processes'];
  // Where there are none, the request is refused, and nothing is shown.
  usePolling(ASK_MS, `${app.name} ${app.state}`, async () => setKnown(processesIn(await api.call({ path }))));
  const web = known?.processes.find(({ type }) => type === 'web')?.state;
  // It falls asleep, wakes and crashes without an entry that tells. Once for a state: the two may differ for long.
  useReading(async () => web !== undefined && web !== app.state && refreshApps(), web);
  if (!known || Object.keys(known.scale).length + known.cron.length === 0) return null;
  const scale = (type: string, count: number) =>
    action.run(async () => {
      setKnown(processesIn(await api.call({ method: 'PATCH', path, body: { [type]: count } })));
      await refreshApps();
    });
  return (
    <>
      {known.usage && <Usage minutes={known.usage} week={known.week} />}
      <section aria-labelledby="processes">
        <h2 id="processes">Processes</h2>
        <Alert text={action.failure} />
        <ul class="card table">
          {Object.entries(known.scale).map(([type, count]) => {
            const ofType = known.processes.filter((one) => one.type === type);
            return (
              <li class="grid process-type" key={type}>
                <div class="flow process-name split">
                  <strong>{type}</strong>
                  {typeof count === 'string' && <span class="count number">{count}</span>}
                  {typeof count === 'number' && (
                    <span class="flow" aria-busy={action.isBusy}>
                      <Step
                        label={`One ${type} less`}
                        sign="−"
                        isDisabled={count <= (type === 'web' ? 1 : 0)}
                        onStep={() => void scale(type, count - 1)}
                      />
                      <span class="count number">{count}</span>
                      <Step label={`One ${type} more`} sign="+" onStep={() => void scale(type, count + 1)} />
                    </span>
                  )}
                </div>
                <div>
                  {ofType.length === 0 && <span class="faint">none runs</span>}
                  {ofType.map((one) => (
                    <One key={one.name} process={one} />
                  ))}
                </div>
              </li>
            );
          })}
          {known.cron.map((job) => (
            <Cron key={job.name} job={job} />
          ))}
        </ul>
      </section>
    </>
  );
}

function Cron({ job: { name, schedule, timezone = 'UTC', command, running, last, next } }: { job: CronJob }) {
  return (
    <li class="grid process-type">
      <div class="flow process-name split">
        <strong>{name}</strong>
        <code title={`minute, hour, day, month, weekday, in ${timezone}`}>{schedule}</code>
      </div>
      <div>
        <p class="cron flow number process-name wrap">
          {running !== null && <Badge shown={shownState('running')} />}
          {next !== null && (
            <span>
              next <Until at={next} />
            </span>
          )}
          {last === null ? (
            <span class="faint">no run yet</span>
          ) : (
            <span class={last.exit === 0 ? 'faint' : 'wait'}>
              exit code {last.exit}, <Moment at={last.at} />
            </span>
          )}
          <code class="ellipsis faint">{command}</code>
        </p>
      </div>
    </li>
  );
}

interface StepProps {
  readonly label: string;
  readonly sign: string;
  readonly isDisabled?: boolean;
  readonly onStep: () => void;
}

function Step({ label, sign, isDisabled = false, onStep }: StepProps) {
  return (
    <button type="button" class="small icon-only" aria-label={label} disabled={isDisabled} onClick={onStep}>
      {sign}
    </button>
  );
}

function One({ process: { state, memory, restarts, since, command } }: { process: Process }) {
  return (
    <p class="grid number process">
      <Badge shown={shownState(state)} />
      <span>{memory === null ? '' : memoryText(memory)}</span>
      <span class={restarts > 0 ? 'wait' : 'faint'}>{restarts === 1 ? '1 restart' : `${restarts} restarts`}</span>
      <span class="faint">{since && <Moment at={since} />}</span>
      <code class="ellipsis faint">{command}</code>
    </p>
  );
}
