import { rmSync } from 'node:fs';
import type { EngineOverrides } from '../../../lib/local/config/settings.ts';
import { recordGrants } from '../../support/service/grants.ts';
import { project, testAssembly } from '../../support/service/place.ts';
import { clientOf, dataFolderFor, type ServiceUnderTest, type Started } from '../../support/service/started.ts';
import { type EmulatedService, startOnEmulators } from './start.ts';

/** With `SEED=<number>` batches come twice. */
const seed = Number(process.env.SEED) || undefined;

interface StackConfig {
  readonly hookSecrets?: object;
  readonly allowedOrigins?: readonly string[];
}

/** What differs between the stacks of tests. */
interface TestStack {
  readonly name: string;
  readonly parameters?: Record<string, string>;
  /** Values of the template's conditions in another region. */
  readonly conditions?: Readonly<Record<string, boolean>>;
  /** The parts of a configuration file that a stack has as well. */
  readonly config?: StackConfig | undefined;
  /** Invocations that its account may run at a time; by default more than these tests ask for at once. */
  readonly concurrency?: number;
}

/** Starts the stack for a test of the service, with the parameters that the settings of the engine stand for. */
export async function startStackInstead(
  name: string,
  settings: EngineOverrides,
  config?: StackConfig,
): Promise<Started<ServiceUnderTest>> {
  const parameters = parametersOf(settings);
  const started = await startStackForTest({ name: `stack-${name}`, parameters, config });
  const signalsUrl = started.service.runtime.template.outputs.SignalsUrl ?? '';
  return { ...started, service: { ...started.service, signalsUrl } };
}

function parametersOf({ reconcileMinutes, repositoryHosts, retryBaseSeconds, streams }: EngineOverrides) {
  return {
    ...(reconcileMinutes !== undefined && { ReconcileMinutes: String(reconcileMinutes) }),
    ...(repositoryHosts && { RepositoryHosts: JSON.stringify(repositoryHosts) }),
    ...(retryBaseSeconds !== undefined && { RetryBaseSeconds: String(retryBaseSeconds) }),
    ...(streams && {
      ChangesSeconds: String(streams.seconds),
      StreamsPerUser: String(streams.perUser),
      StreamsInAll: String(streams.inAll),
    }),
  };
}

/** Starts the synthesised stack on emulators, in a folder of its own. */
export async function startStackForTest({
  name,
  parameters = {},
  conditions = {},
  config: { hookSecrets, allowedOrigins } = {},
  concurrency = 100,
}: TestStack): Promise<Started<EmulatedService>> {
  const dataDir = dataFolderFor(name);
  const lines: string[] = [];
  const service = await startOnEmulators({
    project,
    dataDir,
    outdir: testAssembly,
    port: 0,
    ...(seed !== undefined && { seed }),
    concurrency,
    conditions,
    parameters: {
      RetryBaseSeconds: '1',
      ...(allowedOrigins && { AllowedOrigins: allowedOrigins.join(',') }),
      ...parameters,
    },
    ...(hookSecrets && { hookSecrets }),
    log: ({ functionName, text }) => lines.push(`${functionName} ${text}`),
    warn: (warning) => lines.push(warning),
  });
  const close = async () => {
    recordGrants(name, service.runtime.permissions);
    await service.close();
    rmSync(dataDir, { recursive: true, force: true });
    const denied = lines.filter((line) => line.startsWith('On AWS, this would be refused'));
    if (denied.length > 0) throw new Error(denied.join('\n'));
  };
  return { ...clientOf(service), addUser: service.users.ensure, service, dataDir, lines, close };
}
