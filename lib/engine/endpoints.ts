import { freemem, totalmem } from 'node:os';
import { pageFiles } from '../../functions/adapters/page/page-files.ts';
import { senderRegistry, senders } from '../../functions/adapters/senders/registry.ts';
import { signatureVerifier } from '../../functions/adapters/senders/signatures/verifier.ts';
import { memoryLeases } from '../../functions/adapters/stores/memory/stream-leases.ts';
import type { EndpointFunction } from '../../functions/api/endpoints/endpoints.ts';
import { env } from '../../functions/api-app-env/env.ts';
import { printed } from '../../functions/api-app-logs/logs.ts';
import { operate } from '../../functions/api-app-operations/operate.ts';
import { source } from '../../functions/api-app-source/source.ts';
import { apps } from '../../functions/api-apps/apps.ts';
import { badge } from '../../functions/api-badge/badge.ts';
import { buildLog } from '../../functions/api-build-log/build-log.ts';
import { changes } from '../../functions/api-changes/changes.ts';
import { deploy } from '../../functions/api-deploy/deploy.ts';
import { documents } from '../../functions/api-documents/documents.ts';
import { entry } from '../../functions/api-entry/entry.ts';
import { serve } from '../../functions/api-page/serve.ts';
import { pair } from '../../functions/api-pair/pair.ts';
import { status } from '../../functions/api-status/status.ts';
import { tokens } from '../../functions/api-tokens/tokens.ts';
import type { RepositoryRef } from '../../functions/core/payload/delivery.ts';
import type { OwnHost } from '../../functions/core/ports/repository-host.ts';
import type { JobQueue } from '../../functions/core/ports/stages.ts';
import { diskSpace } from '../files/disk-usage.ts';
import type { Endpoint } from './http/answer.ts';
import type { EnginePorts } from './ports.ts';
import type { EngineSettings } from './settings.ts';

const registry = senderRegistry(senders);

/** Returns the endpoints of the table of routes, by their names there. */
export function endpoints(
  ports: EnginePorts,
  settings: EngineSettings,
  queue: JobQueue,
): Record<EndpointFunction, Endpoint> {
  const { clock, trace, stores, token } = ports;
  const { log, reader, facts, appFacts, trackedApps, appSettings } = stores;
  const { seconds, perUser, inAll } = settings.streams;
  const leases = memoryLeases(clock, { user: perUser, service: inAll });
  const { applications, variables, passwords, processes, runs, domains, buildOutput, output, accounts, feeds } = ports;
  const streaming = { leases, accounts, clock, trace, seconds };
  const host = ports.hostsOfRequests.named;
  const appPorts = { applications, appFacts, facts, reader };
  const machine = async () => ({
    memory: { total: totalmem(), free: freemem() },
    disk: await diskSpace(settings.dataDir),
  });
  const record = { log, queue, leases, clock, trace };
  return {
    'api-deploy': { answer: deploy({ ...acceptPorts(ports, settings, queue), leases }) },
    'api-status': { answer: status({ log: reader, calls: ports.refused, notice: settings.notice }) },
    'api-changes': { stream: changes({ log: reader, feeds, ...streaming }) },
    'api-build-log': { stream: buildLog({ log: reader, output: buildOutput, ...streaming }) },
    'api-entry': { answer: entry({ log, appFacts, queue, clock, trace }) },
    'api-apps': { answer: apps({ ...appPorts, processes, runs, domains, machine }) },
    'api-app-env': { answer: env({ ...appPorts, ...record, variables }) },
    'api-app-operations': { answer: operate({ ...appPorts, ...record }) },
    'api-app-source': {
      answer: source({
        ...appPorts,
        ...record,
        tracked: trackedApps,
        settings: appSettings,
        passwords,
        platform: 'embedded',
        host,
        ownHost: settings.ownHost,
        token,
      }),
    },
    'api-app-logs': { stream: printed({ output, runs, ...streaming }) },
    'api-tokens': { answer: tokens({ tokens: ports.apiTokens }) },
    'api-pair': {
      answer: pair({
        tokens: stores.tokens,
        sealer: ports.sealer,
        accounts,
        hostNames: ports.hostNames,
        hostAt: ports.hostAt,
      }),
    },
    'api-documents': { answer: documents({}) },
    'api-page': {
      stream: serve({
        files: pageFiles(settings.page),
        defaultBranch: settings.defaultBranch,
        signalsUrl: settings.signalsUrl,
        repositoriesUrl: settings.repositoriesUrl,
        setupTexts: async (service) =>
          (await import('../../functions/adapters/senders/setup-texts.ts')).setupTexts(service),
      }),
    },
    'api-badge': { answer: badge(reader) },
  };
}

/** Returns what stores the deliveries of webhooks, and pushes to this machine. */
export function deliveryPorts({ clock, trace, stores, hostName, hostNames }: EnginePorts, queue: JobQueue) {
  return { log: stores.log, facts: stores.facts, queue, clock, trace, hostName, hostNames };
}

function acceptPorts(ports: EnginePorts, settings: EngineSettings, queue: JobQueue) {
  return {
    ...deliveryPorts(ports, queue),
    recognise: registry.recognise,
    hookSecrets: async () => settings.hookSecrets,
    verify: signatureVerifier(registry.signatureOf, { fetchText, clock: ports.clock }),
    ownHost: settings.ownHost && {
      name: settings.ownHost.name,
      defaultBranch: ownDefaultBranch(ports, settings.ownHost),
    },
    refused: ports.refused,
    defaultBranch: settings.defaultBranch,
  };
}

/** What cannot be read now, or is not shown, is as if it were not there: the call is recorded all the same. */
function ownDefaultBranch({ hostsOfRequests, token }: EnginePorts, { name: host }: Pick<OwnHost, 'name'>) {
  return async (user: string, { owner, name }: Pick<RepositoryRef, 'owner' | 'name'>): Promise<string | null> => {
    const asked = hostsOfRequests.named(host).repository({ host, owner, name }, await token(user, host));
    return asked.then(({ defaultBranch }) => defaultBranch).catch(() => null);
  };
}

/** The HTTP client is loaded only when there is such an address to request. */
async function fetchText(address: string): Promise<string> {
  const { textAt } = await import('../../functions/adapters/hosts/http/text-at.ts');
  return textAt(address);
}
