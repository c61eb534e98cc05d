import { createHash, randomBytes } from 'node:crypto';
import { OperatorError } from '../../../lib/files/errors.ts';
import { ACCOUNT, REGION } from '../clients.ts';
import { functionName } from '../invoke/settings.ts';
import { nameOfResource } from '../resources/resources.ts';
import type { Resource, Template } from '../template/template.ts';
import type { Principal } from './guard.ts';
import { trustedServices } from './policy-statements.ts';
import { arnOfRole, roleOfArn, statementsOfRole } from './role-policies.ts';

const SECRET_BYTES = 32;
const ID_CHARACTERS = 16;

/**
 * Returns the functions of a template, by name, each with a key of this start that may do what the function's role may.
 *
 * @throws OperatorError for a role that is not in the template, and a policy that is not understood here
 */
export function functionPrincipals(template: Template): ReadonlyMap<string, Principal> {
  return new Map(
    template
      .ofType('AWS::Lambda::Function')
      .map((resource) => [functionName(resource), principalOf(template, resource)]),
  );
}

function principalOf(template: Template, resource: Resource): Principal {
  const name = functionName(resource);
  const role = roleOfArn(template, resource.properties.Role);
  if (!role) {
    const given = JSON.stringify(resource.properties.Role);
    throw new OperatorError(`function ${resource.logicalId}: its role ${given} is not in the template.`);
  }
  const context = { 'lambda:SourceFunctionArn': `arn:aws:lambda:${REGION}:${ACCOUNT}:function:${name}` };
  return { ...sessionOf(template, role, name), context };
}

/** The services that act with roles here: Lambda for the functions that calls create, and CodeBuild. */
const WITH_ROLES = ['lambda.amazonaws.com', 'codebuild.amazonaws.com'];

/** Returns the roles that a service may assume. */
export function rolesFor(template: Template, service: string): Resource[] {
  return template.ofType('AWS::IAM::Role').filter(({ logicalId, properties }) => {
    const trusted = trustedServices(properties.AssumeRolePolicyDocument, `trust of role ${logicalId}`);
    return trusted.includes(service);
  });
}

/** Returns the roles that services act with here, by ARN. */
export function rolePrincipals(template: Template): ReadonlyMap<string, Principal> {
  const roles = new Set(WITH_ROLES.flatMap((service) => rolesFor(template, service)));
  return new Map([...roles].map((role) => [arnOfRole(role), sessionOf(template, role, 'service')]));
}

function sessionOf(template: Template, role: Resource, name: string): Principal {
  const roleName = nameOfResource(role);
  const session = `${roleName}/${name}`;
  return {
    accessKeyId: keyIdOf(session),
    secretAccessKey: randomBytes(SECRET_BYTES).toString('base64url'),
    sessionToken: randomBytes(SECRET_BYTES).toString('base64'),
    arn: `arn:aws:sts::${ACCOUNT}:assumed-role/${session}`,
    role: roleName,
    statements: statementsOfRole(template, role),
  };
}

/** Of the form of Lambda's, and the same at each start. */
function keyIdOf(session: string): string {
  return `ASIA${createHash('sha256').update(session).digest('hex').slice(0, ID_CHARACTERS).toUpperCase()}`;
}
