import { EventEmitter } from 'node:events';
import { join } from 'node:path';
import { S3Client } from '@aws-sdk/client-s3';
import { clientFor } from './clients.ts';
import { buildEvent } from './codebuild/build-record.ts';
import { openBuilder } from './codebuild/builder.ts';
import { codeBuildService } from './codebuild/codebuild-service.ts';
import { projectsOf } from './codebuild/project.ts';
import type { Endpoints } from './emulators/emulators.ts';
import { kmsService } from './emulators/kms.ts';
import { type Secrets, secretsService } from './emulators/secrets.ts';
import type { Warn } from './invoke/invoker.ts';
import { credentialVariables } from './invoke/settings.ts';
import { openLambda } from './lambda/lambda-service.ts';
import { openLogStore } from './logs/log-store.ts';
import { logsService } from './logs/logs-service.ts';
import { type LogNotice, openSubscriptions, subscribed } from './logs/subscriptions.ts';
import type { Guard } from './permissions/guard.ts';
import { invocationDenials } from './permissions/invocations.ts';
import type { Permissions, RoleDenial } from './permissions/permissions.ts';
import { rolesFor } from './permissions/principals.ts';
import { arnOfRole } from './permissions/role-policies.ts';
import { nameOfResource } from './resources/resources.ts';
import type { Concurrency } from './strict/concurrency.ts';
import type { Template } from './template/template.ts';
import { startWireEndpoint } from './wire/endpoint.ts';

/** Addresses of all services. */
export interface AllEndpoints extends Endpoints {
  readonly kms: string;
  readonly secretsManager: string;
  readonly lambda: string;
  readonly codeBuild: string;
  readonly logs: string;
}

/** The services that are emulated here: KMS, Secrets Manager, Lambda, CodeBuild and CloudWatch Logs. */
export interface RunningServices {
  readonly endpoints: AllEndpoints;
  /** Emits events for the rules of the template, and lines of logs that functions asked for. */
  readonly bus: EventEmitter<{ event: [object]; notice: [LogNotice] }>;
  close(): Promise<void>;
}

/** Options of the services. */
export interface ServicesOptions {
  readonly template: Template;
  readonly endpoints: Endpoints;
  /** Folder of artifacts and builds. */
  readonly dataDir: string;
  readonly warn: Warn;
  readonly guard: Guard;
  readonly denialOf: RoleDenial;
  readonly keyOfRole: Permissions['keyOfRole'];
  readonly concurrency: Concurrency;
  readonly secrets: Secrets;
}

/** Starts the services on a free port of 127.0.0.1, and the processes of functions when they are first called. */
export async function startServices(options: ServicesOptions): Promise<RunningServices> {
  const { template, endpoints, dataDir, warn, guard, denialOf, keyOfRole, concurrency, secrets } = options;
  const bus: RunningServices['bus'] = new EventEmitter();
  const subscriptions = openSubscriptions(invocationDenials(template));
  const logs = subscribed(openLogStore(), subscriptions, (notice) => bus.emit('notice', notice));
  for (const group of template.ofType('AWS::Logs::LogGroup')) logs.createGroup(nameOfResource(group));
  const s3 = new S3Client(clientFor(endpoints.s3));
  const rolesOf = (service: string) => new Set(rolesFor(template, service).map(arnOfRole));
  const lambda = openLambda({
    folder: join(dataDir, 'lambda'),
    s3,
    logs,
    roles: rolesOf('lambda.amazonaws.com'),
    denialOf,
    concurrency,
  });
  const projects = projectsOf(template);
  const builder = openBuilder({
    folder: join(dataDir, 'codebuild'),
    logs,
    denialOf,
    variablesOf: (role) => {
      const key = keyOfRole(role);
      return { ...(key && credentialVariables(key)), AWS_ENDPOINT_URL_KMS: wire.endpoint };
    },
    changed: (build) => void bus.emit('event', buildEvent(build)),
  });
  const services = [
    lambda.service,
    codeBuildService(projects, builder, rolesOf('codebuild.amazonaws.com')),
    logsService(logs, subscriptions),
    kmsService(),
    secretsService(secrets),
  ];
  const wire = await startWireEndpoint(services, warn, guard);
  const { endpoint, close } = wire;
  const here = {
    kms: endpoint,
    secretsManager: endpoint,
    lambda: endpoint,
    codeBuild: endpoint,
    logs: endpoint,
  };
  return {
    endpoints: { ...endpoints, ...here },
    bus,
    close: async () => {
      await close();
      await Promise.all([lambda.close(), builder.close()]);
      s3.destroy();
    },
  };
}
