import { numberVariable, variable } from '../adapters/aws/environment.ts';
import { CONFIGURED } from '../adapters/platform/platforms.ts';
import { ciConfigsOf, configFiles } from '../adapters/senders/ci-config/ci-configs.ts';
import { postToConnection, webSocketApi } from '../adapters/signals/post-to-connection.ts';
import { dynamoDbAppEventCursor } from '../adapters/stores/dynamodb/apps/app-facts.ts';
import { dynamoDbWatch } from '../adapters/stores/dynamodb/connections/watch.ts';
import { systemIds } from '../adapters/system/ids.ts';
import { resume } from '../build-ended/resume.ts';
import { register } from '../changes-register/register.ts';
import { signal } from '../changes-signal/signal.ts';
import { fetchToken, openingOnce } from '../core/host-tokens.ts';
import { hostPauses } from '../core/pipeline/host-pauses.ts';
import { type StageName, stageNames } from '../core/pipeline/pipeline.ts';
import type { Incident } from '../core/ports/app-event.ts';
import { manage } from '../manage-users/manage.ts';
import { reconcile as compare } from '../reconcile/reconcile.ts';
import { previewWatch } from '../reconcile/watch.ts';
import { report } from '../report-status/report.ts';
import { check } from '../stage-check/check.ts';
import { extract } from '../stage-extract/extract.ts';
import { fetchTarball } from '../stage-fetch/fetch.ts';
import { start } from '../stage-start/start.ts';
import { upload } from '../stage-upload/upload.ts';
import { sweep as sweepAll } from '../sweep/sweep.ts';
import { logStreamTrigger } from '../triggers/log-stream.ts';
import { operatorTrigger, scheduleTrigger } from '../triggers/operator.ts';
import { buildTrigger, endedInstanceIn } from '../triggers/platform-events.ts';
import { reportTrigger } from '../triggers/queue.ts';
import { socketTrigger } from '../triggers/socket.ts';
import { stageTrigger } from '../triggers/stage.ts';
import { applyIncident } from '../watch-apps/incident.ts';
import { watchApps as watchAll } from '../watch-apps/watch.ts';
import * as on from './ports.ts';

// The functions that queues, schedules and events of AWS invoke: the stages, and what looks after them.

export const buildEnded = () => {
  const ports = { log: on.log(), queue: on.queueTo('extract') };
  return buildTrigger((snapshot) => resume(snapshot, ports));
};

export const changesRegister = () => {
  const ports = { connections: on.connections(), watch: dynamoDbWatch(on.logTable()) };
  // The id of the WebSocket API that only the service's functions open.
  return socketTrigger(register(ports), variable('INTERNAL_API'));
};

export const changesSignal = () => {
  const [internal, open] = [webSocketApi(variable('INTERNAL_POST')), webSocketApi(variable('PUBLIC_POST'))];
  const post = postToConnection({ internal, public: open });
  return logStreamTrigger(signal({ connections: on.connections(), post }));
};

export const manageUsers = () => {
  const { users } = on.users();
  return operatorTrigger((request) => manage(request, users));
};

export const reconcile = () => {
  const access = on.tokenAccess();
  const sealer = openingOnce(access.sealer);
  const ports = {
    ...on.recording('check', 'start'),
    apps: on.trackedApps(),
    reader: on.reader(),
    facts: on.facts(),
    appFacts: on.appFacts(),
    host: on.repositoryHosts().named,
    token: (user: string, host: string) => fetchToken({ ...access, sealer }, user, host),
    ids: systemIds,
    minutes: numberVariable('RECONCILE_MINUTES'),
    previewDays: numberVariable('PREVIEW_DAYS'),
  };
  const watch = previewWatch(ports);
  return scheduleTrigger(async (everything) => {
    try {
      const [compared] = await Promise.all([compare(ports, everything), watch()]);
      return { compared };
    } finally {
      sealer.forget();
    }
  });
};

export const reportStatus = async () => {
  const ports = {
    ...on.tokenAccess(),
    log: on.reader(),
    facts: on.facts(),
    backlog: on.backlog(),
    platform: await (await on.configured()).hosting(),
    tarballs: on.tarballs(),
    clock: on.system.clock,
    // A batch of ten has half a minute, so that one hanging host does not repeat the others.
    host: on.repositoryHosts({ connectMs: 3_000, firstByteMs: 8_000, idleMs: 3_000 }).named,
  };
  return reportTrigger((job) => report(job, ports));
};

export const stageCheck = () => {
  const ports = {
    ...on.receive('check', 'check', 'start'),
    log: on.growingLog(),
    facts: on.facts(),
    settings: on.appSettings(),
    platform: CONFIGURED,
    tracked: on.trackedApps(),
    reader: on.reader(),
    // A deploy's check calls a host up to fourteen times, some after each other, and has a minute.
    host: on.repositoryHosts({ connectMs: 3_000, firstByteMs: 10_000, idleMs: 5_000 }).named,
    token: on.fetchTokens(),
    ciConfigs: ciConfigsOf(configFiles),
    holdMinutes: numberVariable('HOLD_MINUTES'),
    previewDays: numberVariable('PREVIEW_DAYS'),
  };
  // Not among the ports of the trigger, which would let an operation overrule this stage: its application is not known yet.
  const work = check({ ...ports, appFacts: on.appFacts(), trace: on.system.trace });
  return stageTrigger(hostPauses(on.system.clock)(work), ports);
};

export const stageFetch = () => {
  const fetching = { host: on.repositoryHosts().named, token: on.fetchTokens(), tarballs: on.tarballs() };
  return stageTrigger(hostPauses(on.system.clock)(fetchTarball(fetching)), on.receive('fetch'));
};

/** What the stages run on that change the platform, which an operation on the application overrules. */
const overruled = (stage: StageName, ...others: readonly StageName[]) => ({
  ...on.receive(stage, ...others),
  appFacts: on.appFacts(),
});

export const stageUpload = async () => {
  const platform = await on.configured();
  const ports = overruled('upload', 'fetch');
  const [hosting, variables] = [await platform.hosting(), await platform.variables()];
  return stageTrigger(upload({ ...ports, platform: hosting, variables, tarballs: on.tarballs() }), ports);
};

export const stageExtract = async () => {
  const ports = overruled('extract');
  return stageTrigger(extract({ ...ports, platform: await (await on.configured()).hosting() }), ports);
};

export const stageStart = async () => {
  const platform = await on.configured();
  const ports = overruled('start');
  const [hosting, operations] = [await platform.hosting(), await platform.operations()];
  const work = { ...ports, facts: on.facts(), settings: on.appSettings(), platform: hosting, operations };
  return stageTrigger(start({ ...work, trace: on.system.trace }), ports);
};

export const sweep = () => {
  const [log, facts, backlog] = [on.log(), on.facts(), on.backlog()];
  const ports = { log, facts, backlog, queue: on.queueTo(...stageNames, 'report'), ...on.system };
  const holdMinutes = numberVariable('HOLD_MINUTES');
  return scheduleTrigger(async (everything) => ({ looked: await sweepAll({ ...ports, holdMinutes }, everything) }));
};

/** The schedule and the logs of applications. */
export const watchApps = async () => {
  const platform = await on.configured();
  const [health, events, cron] = [await platform.health(), await platform.events(), await platform.cron()];
  const stores = { ...on.recording('report'), appFacts: on.appFacts(), cursor: dynamoDbAppEventCursor(on.logTable()) };
  const incident = (one: Incident) => applyIncident(one, { ...stores, ids: systemIds });
  const ports = { ...stores, health, events, cron, incident };
  return async (event: unknown) => ({ events: await watchAll(ports, endedInstanceIn(event)) });
};
