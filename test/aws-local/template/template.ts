import { OperatorError } from '../../../lib/files/errors.ts';
import { readAssembly } from './assembly.ts';
import { type LocalValues, Stack } from './stack.ts';

/** The synthesised stack with local values. */
export interface Template {
  readonly resources: ReadonlyMap<string, Resource>;
  /** Returns the resources of one CloudFormation type, in the template's order. */
  ofType(type: string): Resource[];
  readonly outputs: Record<string, string>;
}

/**
 * Loads the stack of a cloud assembly with the template's intrinsics, conditions and parameters resolved to local
 * values.
 *
 * @param options.parameters values of CloudFormation parameters; the others keep their defaults
 * @throws OperatorError for a folder that is not an assembly, an unknown parameter or one without a value; reading a
 *   resource or the outputs throws it, with the resource's name, for a value that cannot be resolved
 */
export function loadTemplate(options: {
  cloudAssembly: string;
  parameters: Record<string, string>;
  values: LocalValues;
}): Template {
  const assembly = readAssembly(options.cloudAssembly);
  const stack = new Stack(assembly, options.parameters, options.values);
  const resources = new Map(stack.logicalIds().map((logicalId) => [logicalId, stack.resource(logicalId)]));
  let outputs: Record<string, string> | undefined;
  return {
    resources,
    ofType: (type) => [...resources.values()].filter((resource) => resource.type === type),
    get outputs() {
      outputs ??= stack.outputs();
      return outputs;
    },
  };
}

/** One resource of the stack, its intrinsics already replaced by local values. */
export interface Resource {
  readonly logicalId: string;
  readonly type: string;
  /** Resolved when first read, so that types that do not run locally (roles, alarms) need no local values. */
  readonly properties: Record<string, unknown>;
  /** For a function the folder of its bundle, for a project of CodeBuild that of its source. */
  readonly assetPath?: string;
}

/** The hash that the CDK appends to the logical id of each resource. */
const CDK_HASH = /[0-9A-F]{8}$/;

/**
 * Returns the one resource of a type with a name: its logical id, with or without the eight hexadecimal digits that the
 * CDK appends.
 *
 * @throws OperatorError when no resource, or more than one, has that name
 */
export function findResource(template: Template, type: string, name: string): Resource {
  const candidates = template.ofType(type);
  const exact = candidates.find(({ logicalId }) => logicalId === name);
  const named = exact ? [exact] : candidates.filter(({ logicalId }) => logicalId.replace(CDK_HASH, '') === name);
  const [found] = named;
  if (found && named.length === 1) return found;
  const ids = (found ? named : candidates).map(({ logicalId }) => logicalId).join(', ');
  throw new OperatorError(
    `The template has ${found ? 'more than one' : 'no'} ${type} named ${name}: ${ids || 'none'}.`,
  );
}
