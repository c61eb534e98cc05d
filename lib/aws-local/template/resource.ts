/** One resource of the stack, its intrinsics already replaced by local values. */
export interface Resource {
  readonly logicalId: string;
  readonly type: string;
  /** Resolved when first read: kinds this runtime never looks at (roles, alarms) need no local values. */
  readonly properties: Record<string, unknown>;
  /** For a function: the folder its bundle lies in. */
  readonly assetPath?: string;
}
