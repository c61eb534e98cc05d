import { ACCOUNT } from '../clients.ts';
import type { Warn } from '../invoke/invoker.ts';
import { type Call, openGuard, type Statement } from '../permissions/guard.ts';
import type { RoleDenial } from '../permissions/permissions.ts';
import { identityStatements } from '../permissions/policy-statements.ts';
import { nameOfResource } from '../resources/resources.ts';
import type { Template } from '../template/template.ts';
import { type Action, type Parameters, QueryError, type QueryService } from '../wire/query-server.ts';

/** The roles that Lambda may give functions: those of the template, and those that were created by calls. */
export interface Roles {
  /** Whether Lambda may assume a role, by its ARN. One that has just been created it may not yet. */
  has(arn: string): boolean;
  readonly denialOf: RoleDenial;
  /** The calls that create and delete roles. */
  readonly service: QueryService;
}

/** What is known of the roles of the template, and where refusals of the others are reported. */
export interface RolesOptions {
  readonly template: Template;
  /** The ARNs of its roles that Lambda may assume. */
  readonly declared: ReadonlySet<string>;
  readonly denialOf: RoleDenial;
  readonly warn: Warn;
}

/** On AWS it takes some seconds: https://docs.aws.amazon.com/IAM/latest/UserGuide/troubleshoot.html#troubleshoot_general_eventual-consistency */
const KNOWN_AFTER_MS = 1_500;

interface CreatedRole {
  readonly knownFrom: number;
  readonly isForLambda: boolean;
  /** What all its policies together may allow at most. */
  readonly boundary: readonly Statement[] | undefined;
  readonly policies: Map<string, readonly Statement[]>;
}

export function openRoles({ template, declared, denialOf, warn }: RolesOptions): Roles {
  const created = new Map<string, CreatedRole>();
  return {
    has: (arn) => {
      const role = created.get(arn);
      return declared.has(arn) || (role?.isForLambda === true && Date.now() >= role.knownFrom);
    },
    denialOf: (arn, calls, refusal) => {
      if (declared.has(arn)) return denialOf(arn, calls, refusal);
      const role = created.get(arn);
      // Lambda runs on with a role that was deleted, for a while.
      if (!role) return `Role ${arn} does not exist`;
      const denial = calls.map((call) => denialBy(arn, role, call)).find((one) => one !== undefined);
      if (denial !== undefined && refusal === undefined) warn(`On AWS, this would be refused: ${denial}.`);
      return denial;
    },
    service: {
      version: '2010-05-08',
      namespace: 'https://iam.amazonaws.com/doc/2010-05-08/',
      actions: actionsOn(created, template),
      callsOf: (action, { RoleName, PermissionsBoundary: boundary }) => {
        const context = boundary === undefined ? {} : { context: { 'iam:PermissionsBoundary': boundary } };
        return [{ action: `iam:${action}`, resource: arnOf(RoleName), ...context }];
      },
    },
  };
}

function actionsOn(created: Map<string, CreatedRole>, template: Template): Readonly<Record<string, Action>> {
  const known = ({ RoleName }: Parameters): CreatedRole => {
    const role = created.get(arnOf(RoleName));
    if (role) return role;
    throw new QueryError('NoSuchEntity', `The role with name ${RoleName} cannot be found.`, 404);
  };
  const create = (parameters: Parameters): string => {
    const { RoleName = '', AssumeRolePolicyDocument: trust = '', PermissionsBoundary: boundary } = parameters;
    if (!/^[\w+=,.@-]{1,64}$/.test(RoleName))
      throw new QueryError('ValidationError', 'The name of the role is invalid.');
    const arn = arnOf(RoleName);
    if (created.has(arn))
      throw new QueryError('EntityAlreadyExists', `Role with name ${RoleName} already exists.`, 409);
    const isForLambda = trust.includes('"lambda.amazonaws.com"');
    const knownFrom = Date.now() + KNOWN_AFTER_MS;
    const bounds = boundary === undefined ? undefined : managedStatements(template, boundary);
    created.set(arn, { knownFrom, isForLambda, boundary: bounds, policies: new Map() });
    return '';
  };
  return {
    CreateRole: {
      takes: ['RoleName', 'Description', 'AssumeRolePolicyDocument', 'PermissionsBoundary'],
      needs: ['RoleName', 'AssumeRolePolicyDocument'],
      run: create,
    },
    PutRolePolicy: {
      takes: ['RoleName', 'PolicyName', 'PolicyDocument'],
      needs: ['RoleName', 'PolicyName', 'PolicyDocument'],
      run: (parameters) => {
        const { RoleName, PolicyName = '', PolicyDocument = '' } = parameters;
        const statements = identityStatements(JSON.parse(PolicyDocument), `policy ${PolicyName} of ${RoleName}`);
        known(parameters).policies.set(PolicyName, statements);
        return '';
      },
    },
    DeleteRolePolicy: {
      takes: ['RoleName', 'PolicyName'],
      needs: ['RoleName', 'PolicyName'],
      run: (parameters) => {
        if (known(parameters).policies.delete(parameters.PolicyName ?? '')) return '';
        throw new QueryError('NoSuchEntity', 'The role policy cannot be found.', 404);
      },
    },
    DeleteRole: {
      takes: ['RoleName'],
      needs: ['RoleName'],
      run: (parameters) => {
        if (known(parameters).policies.size > 0) {
          throw new QueryError('DeleteConflict', 'Cannot delete entity, must delete policies first.', 409);
        }
        created.delete(arnOf(parameters.RoleName));
        return '';
      },
    },
  };
}

function managedStatements(template: Template, arn: string): readonly Statement[] {
  const policy = template
    .ofType('AWS::IAM::ManagedPolicy')
    .find((one) => `arn:aws:iam::${ACCOUNT}:policy/${nameOfResource(one)}` === arn);
  if (!policy) throw new QueryError('NoSuchEntity', `Policy ${arn} does not exist.`, 404);
  return identityStatements(policy.properties.PolicyDocument, `policy ${policy.logicalId}`);
}

/** A call has to be allowed by the policies, and by the boundary where there is one. */
function denialBy(arn: string, { boundary, policies }: CreatedRole, call: Call): string | undefined {
  const parts = [[...policies.values()].flat(), ...(boundary ? [boundary] : [])];
  const denials = parts.map((statements) => {
    const caller = { accessKeyId: arn, secretAccessKey: '', arn, role: arn, statements };
    return openGuard([caller]).denialOfMore(arn, call);
  });
  return denials.find((denial) => denial !== undefined);
}

function arnOf(role: string | undefined): string {
  return `arn:aws:iam::${ACCOUNT}:role/${role}`;
}
