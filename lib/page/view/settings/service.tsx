import { useState } from 'preact/hooks';
import type { Machine } from '../../../../functions/api/shapes/applications.ts';
import type { Service } from '../../../../functions/api/shapes/service.ts';
import { memoryText } from '../../../client/processes.ts';
import { REPOSITORIES, SERVICE } from '../../service/api.ts';
import { useReading } from '../../service/use-reading.ts';
import { useWorkspace } from '../../service/workspace.ts';
import { Alert } from '../parts/alert.tsx';
import { Copy } from '../parts/copy.tsx';

/** The service itself: its version and addresses; on one machine, what is free there, and how it is backed up. */
export function ThisService() {
  const { api } = useWorkspace();
  const [version, setVersion] = useState('');
  const [machine, setMachine] = useState<Machine | null>(null);
  const failure = useReading(async () => {
    const told = fetch(`${SERVICE}/`, { headers: { accept: 'application/json' } });
    const apps = await api.call<{ machine?: Machine }>({ path: ['apps', api.user], query: { limit: 1 } });
    setMachine(apps.machine ?? null);
    const service: Service = await (await told).json();
    setVersion(service.version);
  });
  const rows: ReadonlyArray<readonly [name: string, value: string | null]> = [
    ['Version', version],
    ['Address', SERVICE],
    ['Repositories', REPOSITORIES],
    ['Memory', machine && free(machine.memory)],
    ['Disk', machine && free(machine.disk)],
    ['Backup, on the machine', machine && 'hooks backup hooks.tgz'],
  ];
  return (
    <section aria-labelledby="service">
      <h2 id="service">This service</h2>
      <Alert text={failure} />
      <dl class="card table">
        {rows.map(
          ([name, value]) =>
            value !== null && (
              <div class="grid line" key={name}>
                <dt>{name}</dt>
                <dd class="flow split">
                  <code>{value}</code>
                  {/^http|^hooks/.test(value) && <Copy text={value} label={`Copy: ${name}`} />}
                </dd>
              </div>
            ),
        )}
      </dl>
    </section>
  );
}

function free({ total, free: left }: Machine['memory']): string {
  return `${memoryText(left)} of ${memoryText(total)} free`;
}
