/** One resource of the stack, its intrinsics already replaced by local values. */
export interface Resource {
  readonly logicalId: string;
  readonly type: string;
  /** Resolved when first read, so that types that do not run locally (roles, alarms) need no local values. */
  readonly properties: Record<string, unknown>;
  /** The path of the construct, when the template has the metadata `aws:cdk:path`. */
  readonly constructPath?: string;
  /** For a function the folder of its bundle, for a project of CodeBuild that of its source. */
  readonly assetPath?: string;
}
