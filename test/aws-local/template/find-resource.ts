import { OperatorError } from '../../../lib/files/errors.ts';
import type { Resource } from './resource.ts';
import type { Template } from './template.ts';

/** The hash that the CDK appends to the logical id of each resource. */
const CDK_HASH = /[0-9A-F]{8}$/;

/**
 * Returns the one resource of a type with a name: its logical id, with or without the eight hexadecimal digits that the
 * CDK appends, or its construct path (`Stack/Api/Orders`) where the template has the metadata `aws:cdk:path`.
 *
 * @throws OperatorError when no resource, or more than one, has that name
 */
export function findResource(template: Template, type: string, name: string): Resource {
  const candidates = template.ofType(type);
  const exact = candidates.find(({ logicalId }) => logicalId === name);
  const [found, ...others] = exact ? [exact] : candidates.filter((resource) => isNamed(resource, name));
  if (found && others.length === 0) return found;
  const ids = (found ? [found, ...others] : candidates).map(({ logicalId }) => logicalId).join(', ');
  throw new OperatorError(
    found
      ? `${name} names more than one ${type} of the template: ${ids}.`
      : `The template has no ${type} named ${name}; it has ${ids || 'none'}.`,
  );
}

function isNamed({ logicalId, constructPath }: Resource, name: string): boolean {
  return logicalId.replace(CDK_HASH, '') === name || constructPath === name || constructPath === `${name}/Resource`;
}
