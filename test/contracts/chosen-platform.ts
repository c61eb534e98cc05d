import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { chosenAccounts } from '../../functions/adapters/platform/chosen/accounts.ts';
import { chosenApiTokens } from '../../functions/adapters/platform/chosen/api-tokens.ts';
import { chosenApplications } from '../../functions/adapters/platform/chosen/applications.ts';
import { chosenBuildOutput } from '../../functions/adapters/platform/chosen/build-output.ts';
import { chosenEvents } from '../../functions/adapters/platform/chosen/events.ts';
import { chosenHealth } from '../../functions/adapters/platform/chosen/health.ts';
import { chosenPlatform } from '../../functions/adapters/platform/chosen/hosting.ts';
import { chosenLogin } from '../../functions/adapters/platform/chosen/login.ts';
import { chosenOperations } from '../../functions/adapters/platform/chosen/operations.ts';
import { chosenOutput } from '../../functions/adapters/platform/chosen/output.ts';
import { chosenVariables } from '../../functions/adapters/platform/chosen/variables.ts';
import { tableUsers } from '../../functions/adapters/platform/in-table/accounts/users.ts';
import { platformTable } from '../../functions/adapters/platform/in-table/table.ts';
import { systemClock } from '../../functions/adapters/system/clock.ts';
import { CREDENTIALS, REGION } from '../../lib/aws-local/clients.ts';
import { startDynamoDb } from '../../lib/aws-local/emulators/dynamodb.ts';
import { createPlatformTable, emulatorClient } from '../support/dynamodb-table.ts';
import { programTarball } from '../support/platform/heroku.ts';
import { uploadOf } from './hosting-platform.ts';

const TABLE = 'Stack-AppsTable-1';
const shop = { user: 'kiwi', app: 'shop', snapshot: '1.0.0-1' };

/** A provider of hosting, as a function of a stack finds it. */
export interface ChosenProvider {
  /** What the secret of the stack holds. */
  readonly token: string;
  /** The environment besides the table and the secret. */
  readonly environment: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** Whether a function of a stack deploys to the platform of its environment, on an emulator of its table. */
export function chosenPlatformContract(title: string, open: () => Promise<ChosenProvider>): void {
  let folder: string;
  let database: Awaited<ReturnType<typeof startDynamoDb>>;
  let secrets: Server;
  let provider: ChosenProvider;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'platform-'));
    database = await startDynamoDb({ file: join(folder, 'platform.sqlite'), externalEndpoint: undefined });
    await createPlatformTable(emulatorClient(database.endpoint), TABLE);
    provider = await open();
    secrets = createServer((_request, response) => void response.end(JSON.stringify({ SecretString: provider.token })));
    await new Promise<void>((resolve) => secrets.listen(0, '127.0.0.1', resolve));
    const environment = {
      ...{ PLATFORM_TABLE: TABLE, PLATFORM_SECRET: 'arn:secret', ...provider.environment },
      ...{ AWS_REGION: REGION, AWS_ENDPOINT_URL_DYNAMODB: database.endpoint },
      AWS_ENDPOINT_URL_SECRETS_MANAGER: `http://127.0.0.1:${(secrets.address() as AddressInfo).port}`,
      ...{ AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId, AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey },
    };
    for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    secrets?.closeAllConnections();
    secrets?.close();
    await provider?.close();
    await database?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it(`A function of a stack for ${title} deploys there, with the token in the secret and users of its own`, async () => {
    const table = platformTable({ client: emulatorClient(database.endpoint), table: TABLE });
    await tableUsers({ table, clock: systemClock }).add('kiwi', 'password of kiwi');
    expect(await (await chosenLogin()).authenticate('kiwi', 'password of kiwi')).toMatchObject({ user: 'kiwi' });
    expect(await (await chosenAccounts()).read('kiwi')).toMatchObject({ record: { username: 'kiwi' } });
    const login = { user: 'kiwi', secret: 'password of kiwi' };
    expect(await (await chosenApiTokens(systemClock)).list(login)).toEqual([]);

    const platform = await chosenPlatform(systemClock);
    await platform.ensureApp(shop, { name: '@kiwi/shop' });
    await platform.upload(shop, uploadOf(await programTarball('shop', shop.snapshot, 'runs')));
    await platform.activate(shop);
    await expect.poll(() => platform.poll(shop, 5), { timeout: 20_000 }).toEqual({ state: 'ready' });
    const { url } = await platform.start(shop);
    expect(await (await fetch(url)).text()).toBe(shop.snapshot);
    const running = { ...shop, name: '@kiwi/shop', state: 'running', url };
    expect(await (await chosenApplications()).list('kiwi')).toEqual([running]);

    const { signal } = new AbortController();
    expect(await (await chosenBuildOutput(systemClock)).read(shop, false, signal)).not.toBeNull();
    expect(await (await chosenOutput(systemClock)).read(shop, { lines: 1, follow: false }, signal)).not.toBeNull();
    expect(await (await chosenVariables(systemClock)).read(shop)).toEqual({});
    await (await chosenHealth(systemClock)).recheck();
    expect(await (await chosenEvents()).after(0)).toEqual({ events: [], last: 0 });
    await (await chosenOperations(systemClock)).remove(shop);
    expect(await (await chosenApplications()).list('kiwi')).toEqual([]);
  });
}
