import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { chosenAccounts } from '../../../../../../functions/adapters/platform/chosen/accounts.ts';
import { chosenApiTokens } from '../../../../../../functions/adapters/platform/chosen/api-tokens.ts';
import { chosenApplications } from '../../../../../../functions/adapters/platform/chosen/applications.ts';
import { chosenBuildOutput } from '../../../../../../functions/adapters/platform/chosen/build-output.ts';
import { chosenEvents } from '../../../../../../functions/adapters/platform/chosen/events.ts';
import { chosenHealth } from '../../../../../../functions/adapters/platform/chosen/health.ts';
import { chosenPlatform } from '../../../../../../functions/adapters/platform/chosen/hosting.ts';
import { chosenLogin } from '../../../../../../functions/adapters/platform/chosen/login.ts';
import { chosenOperations } from '../../../../../../functions/adapters/platform/chosen/operations.ts';
import { chosenOutput } from '../../../../../../functions/adapters/platform/chosen/output.ts';
import { chosenVariables } from '../../../../../../functions/adapters/platform/chosen/variables.ts';
import { tableUsers } from '../../../../../../functions/adapters/platform/in-table/accounts/users.ts';
import { platformTable } from '../../../../../../functions/adapters/platform/in-table/table.ts';
import { systemClock } from '../../../../../../functions/adapters/system/clock.ts';
import { CREDENTIALS, REGION } from '../../../../../../lib/aws-local/clients.ts';
import { startDynamoDb } from '../../../../../../lib/aws-local/emulators/dynamodb.ts';
import { uploadOf } from '../../../../../contracts/hosting-platform.ts';
import { type FakeHeroku, fakeHeroku } from '../../../../../fakes/heroku/server.ts';
import { createPlatformTable, emulatorClient } from '../../../../../support/dynamodb-table.ts';
import { programTarball } from '../../../../../support/platform/heroku.ts';

const TABLE = 'Stack-AppsTable-1';
const shop = { user: 'kiwi', app: 'shop', snapshot: '1.0.0-1' };

let folder: string;
let database: Awaited<ReturnType<typeof startDynamoDb>>;
let secrets: Server;
let heroku: FakeHeroku;

/** The environment of a function in a stack for Heroku, on an emulator of its table. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'platform-heroku-'));
  database = await startDynamoDb({ file: join(folder, 'platform.sqlite'), externalEndpoint: undefined });
  await createPlatformTable(emulatorClient(database.endpoint), TABLE);
  heroku = await fakeHeroku();
  secrets = createServer((_request, response) => void response.end(JSON.stringify({ SecretString: heroku.token })));
  await new Promise<void>((resolve) => secrets.listen(0, '127.0.0.1', resolve));
  const environment = {
    ...{ PLATFORM: 'heroku', PLATFORM_URL: heroku.url, PLATFORM_TABLE: TABLE, PLATFORM_TEAM: '' },
    ...{ PLATFORM_SECRET: 'arn:secret', AWS_REGION: REGION, AWS_ENDPOINT_URL_DYNAMODB: database.endpoint },
    AWS_ENDPOINT_URL_SECRETS_MANAGER: `http://127.0.0.1:${(secrets.address() as AddressInfo).port}`,
    ...{ AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId, AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey },
  };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  secrets?.closeAllConnections();
  secrets?.close();
  await heroku?.close();
  await database?.close();
  await rm(folder, { recursive: true, force: true });
});

it('A function of a stack for Heroku deploys there, with the token in the secret and users of its own', async () => {
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
  expect(await platform.poll(shop, 5)).toEqual({ state: 'ready' });
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
