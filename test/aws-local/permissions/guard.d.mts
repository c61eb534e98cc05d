/** One permission that a request needs. */
export interface Call {
  /** `dynamodb:GetItem` */
  readonly action: string;
  /** ARN, or `*` where the action has no resource. */
  readonly resource: string;
  /** Values of condition keys, such as `kms:EncryptionContext:purpose`. */
  readonly context?: Readonly<Record<string, string>>;
}

/** A condition operator, a key, and the values of which one has to match. */
export type Condition = readonly [operator: ConditionOperator, key: string, values: readonly string[]];
export type ConditionOperator = 'StringEquals' | 'StringLike' | 'ArnLike' | 'Bool' | 'Null';

/** A statement of a policy, in plain data, so that it can be sent to other threads and processes. */
export interface Statement {
  readonly effect: 'Allow' | 'Deny';
  readonly actions: readonly string[];
  readonly resources: readonly string[];
  readonly conditions: readonly Condition[];
}

/** A caller that may sign requests. */
export interface Principal {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Has to be sent with each request, where there is one. */
  readonly sessionToken?: string;
  /** As AWS names it in errors: `arn:aws:sts::…:assumed-role/<role>/<function>`. */
  readonly arn: string;
  /** Name of the role. */
  readonly role: string;
  /** Its permissions; absent: everything is allowed. */
  readonly statements?: readonly Statement[];
}

/** An action on a resource, in the words of the statement that allows it. */
export interface Grant {
  readonly role: string;
  readonly action: string;
  readonly resource: string;
  /** The conditions of the statement, as JSON; empty without. */
  readonly conditions: string;
}

/** A finding of a guard: each used grant and each refusal is reported once. */
export type Finding =
  | { readonly kind: 'used'; readonly grant: Grant }
  | { readonly kind: 'denied'; readonly sentence: string };

/** Decides what callers may do. */
export interface Guard {
  /** Returns who has a key; undefined for a key that is not of this start. */
  principal(accessKeyId: string): Principal | undefined;
  /**
   * Returns why a caller may not do what needs these calls, as AWS words it; undefined when it may.
   *
   * @param calls undefined for a request of which it is not known what it needs: only who may do everything may do it
   */
  denial(accessKeyId: string, calls: readonly Call[] | undefined): string | undefined;
  /** The same for what a caller has not asked for: a refusal is no mistake, and is not reported. */
  denialOfMore(accessKeyId: string, call: Call): string | undefined;
}

export declare function openGuard(principals: readonly Principal[], report?: (finding: Finding) => void): Guard;

/** Whether a text matches a pattern in which `*` is any text and `?` any character. */
export declare function matches(pattern: string, text: string, ignoreCase?: boolean): boolean;
