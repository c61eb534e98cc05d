import { readAssembly } from './template/assembly.ts';
import { Stack } from './template/stack.ts';

/** One resource of the stack, its intrinsics already replaced by local values. */
export interface Resource {
  readonly logicalId: string;
  readonly type: string;
  /** Resolved when first read: kinds this runtime never looks at (roles, alarms) need no local values. */
  readonly properties: Record<string, unknown>;
  /** For a function: the folder its bundle lies in. */
  readonly assetPath?: string;
}

/** The synthesised stack, as the local runtime sees it. */
export interface Template {
  readonly resources: ReadonlyMap<string, Resource>;
  /** The resources of one CloudFormation type, in the template's order. */
  ofType(type: string): Resource[];
  readonly outputs: Record<string, string>;
}

/** The addresses of this machine that take the place of AWS's. */
export interface LocalValues {
  /** Origin of the SQS emulator; queue URLs are built on it. */
  readonly sqsEndpoint: string;
  /**
   * `host:port` by logical id of an API (REST or WebSocket). An address `https://<api>.execute-api.…/<stage>` anywhere
   * in the template becomes `http://host:port` (`wss` becomes `ws`): locally the stage is no part of the path.
   */
  readonly apiHosts?: Readonly<Record<string, string>>;
  /** Values that win over the generated ones: by `LogicalId` for Ref, by `LogicalId.Attribute` for GetAtt. */
  readonly overrides?: Readonly<Record<string, string>>;
}

/**
 * The stack of a cloud assembly with the template's intrinsics, conditions and parameters resolved to local values.
 *
 * @param options.parameters values of CloudFormation parameters; the others keep their defaults
 * @throws LocalError for a folder that is no assembly, an unknown parameter or one without a value; reading a
 *   resource or the outputs throws it for what cannot be resolved, naming the resource
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
