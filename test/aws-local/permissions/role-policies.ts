import { OperatorError } from '../../../lib/files/errors.ts';
import { ACCOUNT } from '../clients.ts';
import { nameOfResource } from '../resources/resources.ts';
import { isRecord, listOf } from '../template/intrinsics.ts';
import type { Resource, Template } from '../template/template.ts';
import type { Statement } from './guard.ts';
import { ACCOUNT_ROOT, identityStatements, resourceStatements } from './policy-statements.ts';

/** The actions that AWS's managed policies of these names allow, on every resource. */
const MANAGED: Readonly<Record<string, readonly string[]>> = {
  AWSLambdaBasicExecutionRole: ['logs:CreateLogGroup', 'logs:CreateLogStream', 'logs:PutLogEvents'],
};

/**
 * Returns the permissions of a role of the template: its inline policies, the policies that are attached to it, those
 * of AWS that are known here, and what the policies of queues, buckets and keys say of it.
 *
 * @throws OperatorError for what is not understood here
 */
export function statementsOfRole(template: Template, role: Resource): Statement[] {
  const name = nameOfResource(role);
  const { Policies = [], ManagedPolicyArns = [], PermissionsBoundary } = role.properties;
  if (PermissionsBoundary !== undefined) throw unknownPart(role, 'a PermissionsBoundary');
  const inline = listOf(Policies).flatMap((policy) =>
    identityStatements(isRecord(policy) ? policy.PolicyDocument : policy, `role ${role.logicalId}`),
  );
  const managed = listOf(ManagedPolicyArns).map((arn) => managedStatement(role, String(arn)));
  return [...inline, ...managed, ...attachedStatements(template, name), ...statementsOfResources(template)];
}

/** Returns the role with an ARN. */
export function roleOfArn(template: Template, arn: unknown): Resource | undefined {
  return template.ofType('AWS::IAM::Role').find((role) => arnOfRole(role) === arn);
}

function managedStatement(role: Resource, arn: string): Statement {
  const [name = ''] = arn.split('/').slice(-1);
  const actions = MANAGED[name];
  if (!actions || !arn.startsWith('arn:aws:iam::aws:policy/')) throw unknownPart(role, `the managed policy ${arn}`);
  return { effect: 'Allow', actions, resources: ['*'], conditions: [] };
}

function attachedStatements(template: Template, name: string): Statement[] {
  const policies = template
    .ofType('AWS::IAM::Policy')
    .filter(({ properties }) => listOf(properties.Roles).includes(name));
  return policies.flatMap(({ logicalId, properties }) =>
    identityStatements(properties.PolicyDocument, `policy ${logicalId}`),
  );
}

const RESOURCE_POLICIES: Readonly<Record<string, string>> = {
  'AWS::SQS::QueuePolicy': 'PolicyDocument',
  'AWS::S3::BucketPolicy': 'PolicyDocument',
  'AWS::KMS::Key': 'KeyPolicy',
};

/**
 * What the policies of resources say of everyone. A statement of a key that allows the account leaves the decision to
 * the role's own policies.
 */
function statementsOfResources(template: Template): Statement[] {
  return Object.entries(RESOURCE_POLICIES).flatMap(([type, property]) =>
    template.ofType(type).flatMap((resource) => {
      const document = resource.properties[property];
      if (document === undefined) return [];
      const all = resourceStatements(document, `policy ${resource.logicalId}`);
      if (type === 'AWS::KMS::Key' && !(all.length > 0 && all.every(leavesToRoles))) {
        throw unknownPart(resource, 'a key policy that does not allow kms:* to the account alone');
      }
      const meant = all.filter(({ principals }) => principals.includes('*'));
      return meant.map(({ principals: _, ...statement }) => statement);
    }),
  );
}

function leavesToRoles({ effect, principals, actions }: ReturnType<typeof resourceStatements>[number]): boolean {
  return effect === 'Allow' && principals.every((one) => one === ACCOUNT_ROOT) && actions.includes('kms:*');
}

export function arnOfRole(role: Resource): string {
  return `arn:aws:iam::${ACCOUNT}:role/${nameOfResource(role)}`;
}

function unknownPart({ type, logicalId }: Resource, what: string): OperatorError {
  return new OperatorError(`${type} ${logicalId}: this machine cannot evaluate ${what}.`);
}
