/** One resource of the stack, its intrinsics already replaced by local values. */
export interface Resource {
  readonly logicalId: string;
  readonly type: string;
  /** Resolved when first read: kinds this runtime never looks at (roles, alarms) need no local values. */
  readonly properties: Record<string, unknown>;
  /** The path of the construct, where the synthesis wrote `aws:cdk:path` into the template. */
  readonly constructPath?: string;
  /** For a function: the folder of its bundle. */
  readonly assetPath?: string;
}
