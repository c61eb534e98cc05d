import { join } from 'node:path';
import { S3Client } from '@aws-sdk/client-s3';
import { openGroupRegistry } from '../../lib/process/group-registry.ts';
import { publishAwsConfig } from './access/aws-config.ts';
import { ACCOUNT, clientFor } from './clients.ts';
import { buildEvent } from './codebuild/build-event.ts';
import { openBuilder } from './codebuild/builder.ts';
import { codeBuildService } from './codebuild/codebuild-service.ts';
import { projectsOf } from './codebuild/project.ts';
import type { Endpoints, ServiceEndpoints } from './emulators/emulators.ts';
import type { Warn } from './invoke/invoker.ts';
import { openLambda } from './lambda/lambda-service.ts';
import { openLogStore } from './logs/log-store.ts';
import { logsService } from './logs/logs-service.ts';
import { openSubscriptions, subscribed } from './logs/subscriptions.ts';
import type { Guard } from './permissions/guard.mjs';
import { nameOfResource } from './resources/resources.ts';
import { type EventBus, eventBus } from './sources/events/rules.ts';
import { type LogNotices, logNotices } from './sources/logs/log-notices.ts';
import type { Concurrency } from './strict/concurrency.ts';
import type { Strictness } from './strict/strict.ts';
import { isRecord } from './template/intrinsics.ts';
import type { Template } from './template/template.ts';
import { startWireEndpoint } from './wire/endpoint.ts';

/** The services that run what was not in the template: Lambda, CodeBuild and CloudWatch Logs. */
export interface RunningServices {
  readonly endpoints: Endpoints & ServiceEndpoints;
  /** The events that they emit, for the rules of the template. */
  readonly events: EventBus;
  /** Lines of logs that functions asked for. */
  readonly notices: LogNotices;
  close(): Promise<void>;
}

/** Options of the services. */
export interface ServicesOptions extends Pick<Strictness, 'builds' | 'controlCalls'> {
  readonly template: Template;
  readonly endpoints: Endpoints;
  /** Folder of artifacts, builds and the registry of processes. */
  readonly dataDir: string;
  readonly warn: Warn;
  readonly guard: Guard;
  readonly concurrency: Concurrency;
}

/** Starts the services on a free port of 127.0.0.1, and the processes of functions when they are first called. */
export async function startServices(options: ServicesOptions): Promise<RunningServices> {
  const { template, endpoints, dataDir, warn, guard, concurrency } = options;
  const groups = await openGroupRegistry(join(dataDir, 'function-processes.json'));
  const events = eventBus();
  const notices = logNotices();
  const subscriptions = openSubscriptions(callableByLogs(template));
  const logs = subscribed(openLogStore(), subscriptions, notices.put);
  for (const group of template.ofType('AWS::Logs::LogGroup')) logs.createGroup(nameOfResource(group));
  const s3 = new S3Client(clientFor(endpoints.s3));
  const lambda = openLambda({
    folder: join(dataDir, 'lambda'),
    s3,
    logs,
    groups,
    roles: new Set(lambdaRoles(template)),
    concurrency,
    controlCalls: options.controlCalls,
  });
  const projects = projectsOf(template);
  const builder = openBuilder({
    folder: join(dataDir, 'codebuild'),
    logs,
    groups,
    changed: (build) => events.put(buildEvent(build, projects.get(build.project))),
  });
  const services = [
    lambda.service,
    codeBuildService(projects, builder, options.builds),
    logsService(logs, subscriptions),
  ];
  const { endpoint, close } = await startWireEndpoint(services, warn, guard);
  const all = { ...endpoints, lambda: endpoint, codeBuild: endpoint, logs: endpoint };
  await publishAwsConfig(join(dataDir, 'config'), all);
  return {
    endpoints: all,
    events,
    notices,
    close: async () => {
      await close();
      await Promise.all([lambda.close(), builder.close()]);
      await groups.close();
      s3.destroy();
    },
  };
}

/** Returns the ARNs of the template's functions that CloudWatch Logs may invoke. */
function callableByLogs(template: Template): ReadonlySet<string> {
  const permissions = template.ofType('AWS::Lambda::Permission').map(({ properties }) => properties);
  const own = permissions.filter(({ Principal }) => Principal === 'logs.amazonaws.com');
  return new Set(own.map(({ FunctionName }) => String(FunctionName)));
}

/** Returns the ARNs of the template's roles that Lambda may assume. */
function lambdaRoles(template: Template): string[] {
  const roles = template.ofType('AWS::IAM::Role').filter(({ properties }) => {
    const trust = properties.AssumeRolePolicyDocument;
    return isRecord(trust) && JSON.stringify(trust.Statement).includes('"lambda.amazonaws.com"');
  });
  return roles.map((role) => `arn:aws:iam::${ACCOUNT}:role/${nameOfResource(role)}`);
}
