import { OperatorError } from '../../../lib/files/errors.ts';
import type { Warn } from '../invoke/invoker.ts';
import { logOf } from '../invoke/settings.ts';
import { streamArn } from '../logs/log-store.ts';
import { mappingsOf } from '../sources/event-source-mapping.ts';
import type { Template } from '../template/template.ts';
import { type Call, type Finding, type Grant, type Guard, openGuard, type Principal } from './guard.ts';
import { notEvaluated } from './not-evaluated.ts';
import { OPERATOR } from './operator.ts';
import { functionPrincipals, rolePrincipals } from './principals.ts';

/** The permissions of the callers, and which of them were used. */
export interface Permissions {
  /** Decides what each of them may do. */
  readonly guard: Guard;
  /** Decides what services do with a role of the template: Lambda for functions that calls have created, and CodeBuild. */
  readonly denialOf: RoleDenial;
  /** The principals of the template whose permissions are not evaluated here, each with the reason. */
  readonly notEvaluated: readonly string[];
  /** Returns the key of a role that a service acts with, by the role's ARN. */
  keyOfRole(roleArn: string): Principal | undefined;
  /** Returns a function's key. */
  credentialsOf(functionName: string): Principal;
  /** Returns the grants of the functions' roles that were used since the start. */
  used(): Grant[];
  /** Returns the grants of the functions' roles that no request has used since the start. */
  unused(): Grant[];
}

/**
 * Returns why a service may not do something with a role, by the role's ARN; undefined when it may.
 *
 * @param refusal an expected one is no mistake, and is not reported
 */
export type RoleDenial = (roleArn: string, calls: readonly Call[], refusal?: 'expected') => string | undefined;

/** Permissions by the policies of a template. Each refusal is warned of, because it would be one on AWS. */
export function permissionsOf(template: Template, warn: Warn): Permissions {
  const functions = functionPrincipals(template);
  const roles = rolePrincipals(template);
  const principals = [OPERATOR, ...functions.values(), ...roles.values()];
  const used = new Map<string, Grant>();
  const report = (finding: Finding) => {
    if (finding.kind === 'used') used.set(JSON.stringify(finding.grant), finding.grant);
    else warn(`On AWS, this would be refused: ${finding.sentence}.`);
  };
  const guard = openGuard(principals, report);
  return {
    guard,
    notEvaluated: notEvaluated(template),
    denialOf: (roleArn, calls, refusal) => {
      const { accessKeyId = '' } = roles.get(roleArn) ?? {};
      if (refusal === undefined) return guard.denial(accessKeyId, calls);
      return calls.map((call) => guard.denialOfMore(accessKeyId, call)).find((one) => one !== undefined);
    },
    keyOfRole: (roleArn) => roles.get(roleArn),
    credentialsOf: (name) => {
      const principal = functions.get(name);
      if (principal) return principal;
      throw new OperatorError(`function ${name} is not in the template`);
    },
    used: () => [...used.values()],
    unused: () => grantsOf(principals).filter((grant) => !used.has(JSON.stringify(grant))),
  };
}

/** Functions may share a role, so that a grant is listed once. */
function grantsOf(principals: readonly Principal[]): Grant[] {
  const all = principals.flatMap(({ role, statements = [] }) =>
    statements
      .filter(({ effect }) => effect === 'Allow')
      .flatMap(({ actions, resources, conditions: given }) => {
        const conditions = given.length > 0 ? JSON.stringify(given) : '';
        return actions.flatMap((action) => resources.map((resource) => ({ role, action, resource, conditions })));
      }),
  );
  return [...new Map(all.map((grant) => [JSON.stringify(grant), grant])).values()];
}

/**
 * Checks what Lambda itself does with the roles of functions: it polls their queues and streams, reports what failed,
 * and writes their logs. A function that may not write its log runs on AWS too, but its output is lost.
 *
 * @throws OperatorError for a mapping that Lambda would refuse to create
 */
export function checkRoles(template: Template, { guard, credentialsOf }: Permissions): void {
  for (const resource of template.ofType('AWS::Lambda::Function')) {
    const { name, logGroup } = logOf(resource);
    guard.denial(credentialsOf(name).accessKeyId, logCalls(logGroup));
  }
  for (const service of ['sqs', 'dynamodb'] as const) {
    for (const { id, functionName, sourceArn, failureArn } of mappingsOf(template, service)) {
      const calls = [...pollerCalls(service, sourceArn), ...failureCalls(failureArn)];
      const denial = guard.denial(credentialsOf(functionName).accessKeyId, calls);
      if (denial !== undefined) throw new OperatorError(`event source mapping ${id}: ${denial}.`);
    }
  }
}

function logCalls(logGroup: string): Call[] {
  const resource = streamArn(logGroup, 'local');
  return ['CreateLogStream', 'PutLogEvents'].map((name) => ({ action: `logs:${name}`, resource }));
}

function pollerCalls(service: 'sqs' | 'dynamodb', resource: string): Call[] {
  if (service === 'sqs') {
    return ['ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes'].map((name) => ({
      action: `sqs:${name}`,
      resource,
    }));
  }
  const onStream = ['DescribeStream', 'GetRecords', 'GetShardIterator'];
  return [
    ...onStream.map((name) => ({ action: `dynamodb:${name}`, resource })),
    { action: 'dynamodb:ListStreams', resource: '*' },
  ];
}

function failureCalls(resource: string | undefined): Call[] {
  return resource === undefined ? [] : [{ action: 'sqs:SendMessage', resource }];
}
