import { optionalVariable, publicUrl, variable } from '../adapters/aws/environment.ts';
import { readSecret } from '../adapters/aws/secrets.ts';
import { chooseHost } from '../adapters/hosts/configuration.ts';
import { pageFiles } from '../adapters/page/page-files.ts';
import type { Platform } from '../adapters/platform/platform.ts';
import { CONFIGURED } from '../adapters/platform/platforms.ts';
import { hookSecrets } from '../adapters/secrets/hook-secrets.ts';
import { senderRegistry, senders } from '../adapters/senders/registry.ts';
import { signatureVerifier } from '../adapters/senders/signatures/verifier.ts';
import { presign } from '../adapters/signals/presign.ts';
import { webSocketSignals } from '../adapters/signals/websocket.ts';
import { dynamoDbFailures } from '../adapters/stores/dynamodb/connections/failure-memory.ts';
import { env } from '../api-app-env/env.ts';
import { printed } from '../api-app-logs/logs.ts';
import { operate } from '../api-app-operations/operate.ts';
import { source } from '../api-app-source/source.ts';
import { apps } from '../api-apps/apps.ts';
import { badge } from '../api-badge/badge.ts';
import { buildLog } from '../api-build-log/build-log.ts';
import { changes } from '../api-changes/changes.ts';
import { deploy } from '../api-deploy/deploy.ts';
import { documents } from '../api-documents/documents.ts';
import { entry } from '../api-entry/entry.ts';
import { serve } from '../api-page/serve.ts';
import { pair } from '../api-pair/pair.ts';
import { status } from '../api-status/status.ts';
import { tokens } from '../api-tokens/tokens.ts';
import { answerUnknown } from '../api-unknown/unknown.ts';
import { authorizer } from '../authorize/authorize.ts';
import { Feeds } from '../core/feed/feeds.ts';
import { authorizerTrigger } from '../triggers/authorizer.ts';
import { httpTrigger } from '../triggers/http.ts';
import { streamTrigger } from '../triggers/stream.ts';
import * as on from './ports.ts';

// The functions of the API on AWS: the bundle of each calls its own one when it is loaded, and holds what that uses of this
// folder. `lib/engine/endpoints.ts` makes the same on one machine.

const http = (answer: Parameters<typeof httpTrigger>[0]) => httpTrigger(answer, publicUrl());
const stream = (answer: Parameters<typeof streamTrigger>[0]) => streamTrigger(answer, publicUrl());

/** API Gateway times out after 29 seconds. */
const REQUEST_TIMEOUTS = { connectMs: 2_000, firstByteMs: 8_000, idleMs: 2_000 };

/** What the platform and the log know of applications. */
async function knownApps(platform: Platform) {
  const log = { appFacts: on.appFacts(), facts: on.facts(), reader: on.reader() };
  return { applications: await platform.applications(), ...log };
}

export const apiAppEnv = async () => {
  const platform = await on.configured();
  const variables = await platform.variables();
  return http(env({ ...(await knownApps(platform)), ...on.recording('start'), variables }));
};

export const apiAppLogs = async () => {
  const platform = await on.configured();
  return stream(printed({ output: await platform.output(), runs: await platform.runs(), ...on.streamLimits() }));
};

export const apiAppOperations = async () => {
  const appPorts = await knownApps(await on.configured());
  return http(operate({ ...appPorts, ...on.recording('extract', 'start'), leases: on.streamLeases() }));
};

export const apiAppSource = async () => {
  const ports = {
    ...(await knownApps(await on.configured())),
    ...on.recording('check', 'start'),
    settings: on.appSettings(),
    platform: CONFIGURED,
    tracked: on.trackedApps(),
    leases: on.streamLeases(),
    host: on.repositoryHosts(REQUEST_TIMEOUTS).named,
    token: on.fetchTokens(),
  };
  return http(source(ports));
};

export const apiApps = async () => {
  const platform = await on.configured();
  const [processes, runs, domains] = [await platform.processes(), await platform.runs(), await platform.domains()];
  return http(apps({ ...(await knownApps(platform)), processes, runs, domains }));
};

export const apiBadge = () => http(badge(on.reader()));

export const apiBuildLog = async () => {
  const output = await (await on.configured()).builds();
  return stream(buildLog({ log: on.reader(), output, ...on.streamLimits() }));
};

export const apiChanges = () => {
  const log = on.reader();
  const signalsUrl = variable('SIGNALS_URL');
  // The DynamoDB client resolves the credentials and renews them.
  const { credentials, region, sha256 } = on.logTable().client.config;
  const address = (user: string) => presign(signalsUrl, { user }, { credentials, region, sha256 });
  const signals = webSocketSignals({ trace: on.system.trace, address });
  const feeds = new Feeds({ log, signals, clock: on.system.clock });
  return stream(changes({ log, feeds, ...on.streamLimits() }));
};

export const apiDeploy = () => {
  const { clock } = on.system;
  const hosts = on.hostConfigs();
  const registry = senderRegistry(senders);
  const ports = {
    ...on.recording('check', 'report'),
    facts: on.facts(),
    refused: on.refusedCalls(),
    leases: on.streamLeases(),
    recognise: registry.recognise,
    hookSecrets: hookSecrets({ id: optionalVariable('HOOK_SECRETS'), read: readSecret, clock }),
    verify: signatureVerifier(registry.signatureOf, { fetchText, clock }),
    hostName: (kind: string, hostname: string | null) => chooseHost(hosts, kind, hostname)?.name ?? null,
    hostNames: hosts.map(({ name }) => name),
    defaultBranch: variable('DEFAULT_BRANCH'),
  };
  return http(deploy(ports));
};

/** The HTTP client is loaded only when there is such an address to request. */
async function fetchText(address: string): Promise<string> {
  const { textAt } = await import('../adapters/hosts/http/text-at.ts');
  return textAt(address);
}

export const apiDocuments = () => http(documents({}));

export const apiEntry = () =>
  http(entry({ log: on.log(), appFacts: on.appFacts(), queue: on.queueTo('check', 'report'), ...on.system }));

export const apiPage = () => {
  const signalsUrl = variable('SIGNALS_URL');
  const ports = {
    // The files of the page lie beside the bundle of the function.
    files: pageFiles(new URL('page/', import.meta.url)),
    signalsUrl: () => signalsUrl,
    repositoriesUrl: '',
    defaultBranch: variable('DEFAULT_BRANCH'),
    // The registry takes long to load, and only one of the routes needs it.
    setupTexts: async (service: string) => (await import('../adapters/senders/setup-texts.ts')).setupTexts(service),
  };
  return stream(serve(ports));
};

export const apiPair = () => {
  // Pairing calls a host up to three times.
  const hosts = on.repositoryHosts({ ...REQUEST_TIMEOUTS, firstByteMs: 5_000 });
  const hostNames = on.hostConfigs().map(({ name }) => name);
  return http(pair({ ...on.tokenAccess(), accounts: on.users().accounts, hostNames, hostAt: hosts.at }));
};

export const apiStatus = () => http(status({ log: on.reader(), calls: on.refusedCalls() }));
export const apiTokens = () => http(tokens({ tokens: on.users().apiTokens }));
export const apiUnknown = () => http(answerUnknown);

export const authorize = () => {
  const { accounts } = on.users();
  return authorizerTrigger(
    authorizer({
      accounts,
      failures: dynamoDbFailures(on.connectionsTable()),
      refused: on.refusedCalls(),
      ...on.system,
    }),
  );
};
