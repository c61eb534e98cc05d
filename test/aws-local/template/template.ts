import { readAssembly } from './assembly.ts';
import type { LocalValues } from './local-values.ts';
import type { Resource } from './resource.ts';
import { Stack } from './stack.ts';

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
