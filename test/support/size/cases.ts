import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { changeItem, entryItem } from '../../../functions/adapters/stores/dynamodb/items.ts';
import { forEachLimit } from '../../../functions/core/concurrency.ts';
import { jobOf } from '../../../functions/core/pipeline/job.ts';
import type { DeployLog } from '../../../functions/core/ports/log.ts';
import type { Dynoxide } from '../../aws-local/emulators/dynoxide.ts';
import { CONNECTIONS } from '../dynamodb-table.ts';
import { append, type Patch, repository } from '../entries.ts';
import { type GivenRequest, proxyEvent, sqsEvent } from '../events/aws-events.ts';
import { ENTRIES, lastOf, PLATFORM, packageOf, seededApps, seededEntry, USER, WORK, wire } from './many-apps.ts';

/** What a case prepares with. */
export interface SizeWorld {
  readonly database: Dynoxide;
  readonly log: DeployLog;
  readonly table: string;
}

/** A call of a function that may take so many items and, with a third of a processor, so many seconds. */
export interface SizeCase {
  readonly function: string;
  readonly title: string;
  readonly event: (world: SizeWorld) => Promise<unknown>;
  /** At most; at least `least`, so that it does what it says. */
  readonly items: number;
  readonly least?: number;
  readonly seconds: number;
  readonly isStream?: boolean;
  readonly answers?: (answer: unknown) => void;
}

const DUE = 1_000;
const CRASHED = 500;
const WATCHERS = 500;

/** Of what somebody waits for. */
const QUICK = { items: 150, seconds: 0.5 };

const some = seededEntry(ENTRIES - 3_000, 0);
const push = JSON.parse(readFileSync(new URL('../../fixtures/senders/github/push.json', import.meta.url), 'utf8'));
const APP = seededApps[300]?.app ?? '';

function request(
  name: string,
  endpoint: string,
  { status = 200, ...given }: GivenRequest & { readonly status?: number; readonly isStream?: boolean } = {},
): Pick<SizeCase, 'function' | 'title' | 'event' | 'answers' | 'isStream'> {
  const [httpMethod = '', resource = ''] = endpoint.split(' ');
  const known: Record<string, string | undefined> = {
    user: USER,
    application: APP,
    id: some.id,
    ...given.pathParameters,
  };
  const names = [...resource.matchAll(/\{(\w+)\}/g)].map(([, key = '']) => key);
  const values = Object.fromEntries(names.map((key) => [key, known[key]]));
  const path = resource.replaceAll(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(values[key] ?? ''));
  const { isStream = false, ...event } = given;
  const requestContext = { authorizer: { user: USER }, path: `/live${path}` };
  return {
    function: name,
    title: endpoint,
    isStream,
    event: async () => proxyEvent({ httpMethod, resource, path, ...event, pathParameters: values, requestContext }),
    ...(!isStream && {
      answers: (answer) => expect(answer, JSON.stringify(answer)).toMatchObject({ statusCode: status }),
    }),
  };
}

function job(patch: Patch): SizeCase['event'] {
  return async ({ log }) => {
    const { user, number } = jobOf(await append(log, { user: USER, ...patch }));
    return sqsEvent({ body: JSON.stringify({ user, number }) });
  };
}

const readsApp = 'GET /1/apps/{user}/{application}';
const ofPage = { queryStringParameters: { limit: '100' } };

const requests: readonly SizeCase[] = [
  // The names of all are sorted, and counted.
  { ...request('api-apps', 'GET /1/apps/{user}'), items: 3_300, seconds: 6 },
  { ...request('api-apps', readsApp), ...QUICK },
  { ...request('api-app-env', `${readsApp}/env`), ...QUICK },
  { ...request('api-app-operations', 'POST /1/apps/{user}/{application}/restart', { status: 202 }), ...QUICK },
  { ...request('api-app-source', `${readsApp}/settings`), ...QUICK },
  { ...request('api-app-source', 'POST /1/apps/{user}/{application}/redeploy', { status: 202 }), ...QUICK },
  { ...request('api-app-logs', `${readsApp}/logs`, { isStream: true }), ...QUICK },
  {
    ...request('api-badge', 'GET /1/badge/{user}/{repository}', { pathParameters: { repository: 'app-1.svg' } }),
    ...QUICK,
  },
  { ...request('api-build-log', 'GET /1/status/{user}/changes/{id}/build-log', { isStream: true }), ...QUICK },
  {
    ...request('api-changes', 'GET /1/status/{user}/changes', {
      queryStringParameters: { feed: 'normal', since: `${ENTRIES - 100}` },
      isStream: true,
    }),
    ...QUICK,
  },
  {
    ...request('api-deploy', 'POST /1/deploy', {
      headers: push.headers,
      body: JSON.stringify(push.body),
      queryStringParameters: { branch: 'main' },
      status: 202,
    }),
    ...QUICK,
  },
  { ...request('api-documents', 'GET /errors'), ...QUICK },
  { ...request('api-entry', 'GET /1/status/{user}/changes/{id}'), ...QUICK },
  { ...request('api-page', 'GET /1/senders', { isStream: true }), ...QUICK },
  { ...request('api-pair', 'GET /1/auth/{host}', { pathParameters: { host: 'github' } }), ...QUICK },
  { ...request('api-status', 'GET /1/status/{user}/webhooks', ofPage), ...QUICK },
  {
    ...request('api-status', 'GET /1/status/{user}/webhooks/{application}', {
      pathParameters: { application: packageOf(APP) },
      ...ofPage,
    }),
    // An item of the index, and the entry.
    items: 250,
    seconds: 0.5,
  },
  { ...request('api-tokens', 'GET /1/auth/tokens', { status: 401 }), ...QUICK },
  { ...request('api-unknown', 'GET /nothing', { status: 404 }), ...QUICK },
];

const entries: readonly SizeCase[] = [
  {
    function: 'stage-check',
    title: 'a preview of a repository that has ten',
    event: job(ofPreview(11)),
    ...QUICK,
  },
  {
    function: 'stage-check',
    title: 'a pull request that was closed',
    event: async (world) => {
      const held = await append(world.log, { user: USER, ...ofPreview(3) });
      await world.log.move(USER, held.number, () => ({ changes: { status: 'held' } }));
      return job({ ...ofPreview(3), kind: 'operation', operation: 'remove' })(world);
    },
    ...QUICK,
  },
  {
    function: 'stage-check',
    title: 'the first push of a new repository',
    event: job({ repository: { ...repository, owner: 'acme', name: 'new', id: '9000' } }),
    ...QUICK,
  },
  {
    function: 'stage-start',
    title: 'stops an application',
    event: job({ kind: 'operation', operation: 'stop', stage: 'start', appName: packageOf(APP) }),
    ...QUICK,
  },
  {
    function: 'report-status',
    title: 'ten commit statuses',
    event: async () =>
      sqsEvent(
        ...Array.from({ length: 10 }, (_, at) => ({
          messageId: `${at}`,
          body: JSON.stringify({ user: USER, number: ENTRIES - at }),
        })),
      ),
    items: 20,
    seconds: 2,
  },
  {
    function: 'changes-signal',
    title: 'a change that 500 watch',
    event: async ({ database }) => {
      const expires = { N: `${Math.ceil(Date.now() / 1000) + 3_600}` };
      await forEachLimit(
        Array.from({ length: WATCHERS }, (_, at) => at),
        8,
        async (at) => {
          const Item = { pk: { S: `U#${USER}` }, sk: { S: `c${at}=` }, side: { S: 'public' }, expires };
          await database.send('PutItem', { TableName: CONNECTIONS, Item });
        },
      );
      const change = changeItem(some, 0, true);
      const { pk, sk } = change;
      return { Records: [{ dynamodb: { Keys: { pk, sk }, NewImage: wire(change), SequenceNumber: '1' } }] };
    },
    answers: (answer) => expect(answer).toEqual({ batchItemFailures: [] }),
    // A tenth of its minute.
    ...{ items: WATCHERS, least: WATCHERS, seconds: 6 },
  },
  {
    function: 'changes-register',
    title: 'a message',
    event: async () => ({ requestContext: { apiId: 'test', connectionId: 'c1=', routeKey: 'register' } }),
    ...QUICK,
  },
  {
    function: 'authorize',
    title: 'a login',
    event: async () => ({
      methodArn: 'arn:aws:execute-api:us-east-1:123456789012:a/live/GET/1/apps/ann',
      ...{ httpMethod: 'GET', resource: '/1/apps/{user}', pathParameters: { user: USER } },
      headers: { Authorization: `Basic ${Buffer.from(`${USER}:secret`).toString('base64')}` },
      requestContext: { identity: { sourceIp: '192.0.2.1' } },
    }),
    ...QUICK,
  },
  { function: 'manage-users', title: 'the list', event: async () => ({ operation: 'list' }), ...QUICK },
];

const scheduled: readonly SizeCase[] = [
  {
    function: 'sweep',
    title: '1,000 holds that are over',
    event: async ({ database, table }) => {
      const numbers = Array.from({ length: DUE }, (_, at) => at + 1);
      await forEachLimit(numbers, 8, async (number) => {
        await database.send('PutItem', { TableName: table, Item: heldItem(number) });
      });
      return {};
    },
    // Half of its five minutes.
    ...{ items: 10_000, seconds: 150 },
  },
  {
    function: 'reconcile',
    title: 'all previews',
    event: async () => ({}),
    // Once a minute.
    ...{ items: 2_000, least: 800, seconds: 4 },
  },
  {
    function: 'watch-apps',
    title: '500 applications that have crashed in a minute',
    event: async ({ database }) => {
      await forEachLimit(seededApps.slice(0, CRASHED).entries(), 8, async ([at, { app }]) => {
        const seq = Date.now() - 3_600_000 + at;
        const snapshot = `1.0.0-${lastOf(at)}`;
        const event = { seq, user: USER, app, snapshot, state: 'crashed', reason: 'It ends.', log: [] };
        const Item = { pk: { S: 'E' }, sk: { S: `${USER}/${app}` }, event: { S: JSON.stringify(event) } };
        await database.send('PutItem', { TableName: PLATFORM, Item });
      });
      return {};
    },
    // Half of its minute.
    ...{ items: 10_000, seconds: 30 },
  },
];

/** Functions of which a call reads and writes the same, whatever there is besides, and why. */
export const WITHOUT_SIZE: Readonly<Record<string, string>> = {
  'build-ended': 'one entry, which the event names',
  'stage-extract': 'one entry and its snapshot',
  'stage-fetch': 'one entry, and its tarball in constant memory',
  'stage-upload': 'one entry, its tarball in constant memory, and one application',
};

export const sizeCases: readonly SizeCase[] = [...requests, ...entries, ...scheduled];

/** A held entry in the place of an old one, due since a while. */
function heldItem(number: number): object {
  const held = {
    ...seededEntry(number, Date.now() - 7_200_000),
    status: 'held',
    stage: 'check',
    expiresAt: 1,
  } as const;
  return wire(entryItem(held, { ...WORK, appPosition: null }, 1));
}

function ofPreview(number: number): Patch {
  const { branch, repository: own } = seededEntry(2_001, 0);
  const pullRequest = { number, parent: 'acme-app-0' };
  return { kind: 'preview', repository: own, branch, pullRequest, sha: 'c'.repeat(40) };
}
