import type { Resource, Template } from '../../aws-local/template/template.ts';

/** A resolved template of the given resources: `{ logicalId: [type, properties] }`. */
export function templateOf(
  declared: Record<string, readonly [type: string, properties: Record<string, unknown>]>,
): Template {
  const resources = new Map<string, Resource>(
    Object.entries(declared).map(([logicalId, [type, properties]]) => [logicalId, { logicalId, type, properties }]),
  );
  return {
    resources,
    ofType: (type) => [...resources.values()].filter((resource) => resource.type === type),
    outputs: {},
  };
}
