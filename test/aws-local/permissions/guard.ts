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
export type ConditionOperator = 'StringEquals' | 'StringLike' | 'Bool' | 'Null';

/** A statement of a policy. */
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
  /** Values of condition keys that all its requests have. */
  readonly context?: Readonly<Record<string, string>>;
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

const MAX_DECISIONS = 10_000;
/** Calls on this machine stand for calls over TLS, which bucket and queue policies ask for. */
const ALWAYS = { 'aws:SecureTransport': 'true' };

/**
 * Decides by the policies of roles. What it gets is checked before: `policy-statements.ts` refuses every form of a policy
 * that is not understood here.
 *
 * @param report gets the findings
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html
 */
export function openGuard(principals: readonly Principal[], report: (finding: Finding) => void = () => {}): Guard {
  const known = new Map(principals.map((principal) => [principal.accessKeyId, principal]));
  const decisions = new Map<string, Decision>();
  const reportOnce = onlyOnce(report);
  const decide = (principal: Principal, call: Call): Decision => {
    const key = JSON.stringify([principal.accessKeyId, call]);
    const known = decisions.get(key);
    if (known) return known;
    const decision = decisionOn(principal, call);
    if (decision.grant) reportOnce({ kind: 'used', grant: decision.grant });
    if (decisions.size >= MAX_DECISIONS) decisions.clear();
    decisions.set(key, decision);
    return decision;
  };
  return {
    principal: (accessKeyId) => known.get(accessKeyId),
    denial: (accessKeyId, calls) => {
      const principal = known.get(accessKeyId);
      if (principal && !principal.statements) return undefined;
      const sentence =
        principal && calls
          ? calls.map((call) => decide(principal, call).sentence).find((one) => one !== undefined)
          : `User: ${principal?.arn} is not authorized: which permission the request needs is not known on this machine`;
      if (sentence !== undefined) reportOnce({ kind: 'denied', sentence });
      return sentence;
    },
    denialOfMore: (accessKeyId, call) => {
      const principal = known.get(accessKeyId);
      return principal?.statements && decide(principal, call).sentence;
    },
  };
}

function onlyOnce(report: (finding: Finding) => void): (finding: Finding) => void {
  const reported = new Set<string>();
  return (finding) => {
    const key = JSON.stringify(finding);
    if (reported.size < MAX_DECISIONS && reported.size !== reported.add(key).size) report(finding);
  };
}

/** Why a call is refused, or the grant that allows it. */
interface Decision {
  readonly sentence?: string;
  readonly grant?: Grant;
}

/** An explicit deny wins over every allow, and what nothing allows is denied. */
function decisionOn({ arn, role, statements = [], context }: Principal, asked: Call): Decision {
  const call = { ...asked, context: { ...ALWAYS, ...context, ...asked.context } };
  const applying = statements.filter((statement) => applies(statement, call));
  const denied = `User: ${arn} is not authorized to perform: ${call.action} on resource: ${call.resource}`;
  if (applying.some(({ effect }) => effect === 'Deny')) {
    return { sentence: `${denied} with an explicit deny in a policy` };
  }
  const [allowing] = applying;
  if (!allowing) {
    return { sentence: `${denied} because no identity-based policy allows the ${call.action} action` };
  }
  const conditions = allowing.conditions.length > 0 ? JSON.stringify(allowing.conditions) : '';
  const action = actionIn(allowing, call) ?? call.action;
  return { grant: { role, action, resource: resourceIn(allowing, call) ?? call.resource, conditions } };
}

function applies(statement: Statement, call: Required<Call>): boolean {
  if (actionIn(statement, call) === undefined || resourceIn(statement, call) === undefined) return false;
  const { context } = call;
  return statement.conditions.every((condition) => holds(condition, context));
}

function actionIn({ actions }: Statement, { action }: Call): string | undefined {
  return actions.find((pattern) => matches(pattern, action, true));
}

function resourceIn({ resources }: Statement, { resource }: Call): string | undefined {
  return resources.find((pattern) => matches(pattern, resource));
}

function holds([operator, key, values]: Condition, context: Readonly<Record<string, string>>): boolean {
  const value = Object.hasOwn(context, key) ? context[key] : undefined;
  if (operator === 'Null') return values.includes(String(value === undefined));
  if (value === undefined) return false;
  const wanted = values.flatMap((one) => filled(one, context) ?? []);
  return wanted.some((one) => (operator === 'StringLike' ? matches(one, value) : one === value));
}

/**
 * Returns a text with the values of its policy variables; undefined where a request has no such value.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_variables.html
 */
function filled(text: string, context: Readonly<Record<string, string>>): string | undefined {
  const names = [...text.matchAll(VARIABLE)].map(([, name = '']) => name);
  if (!names.every((name) => Object.hasOwn(context, name))) return undefined;
  return text.replace(VARIABLE, (_, name: string) => context[name] ?? '');
}

const VARIABLE = /\$\{([^}]+)\}/g;

const expressions = new Map<string, RegExp>();

/** Whether a text matches a pattern in which `*` is any text and `?` any character. */
export function matches(pattern: string, text: string, ignoreCase = false): boolean {
  const key = `${ignoreCase ? 'i' : ''}:${pattern}`;
  let expression = expressions.get(key);
  if (!expression) {
    const source = pattern
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replace(/\*/g, '.*')
      .replace(/\?/g, '.');
    expression = new RegExp(`^${source}$`, ignoreCase ? 'is' : 's');
    expressions.set(key, expression);
  }
  return expression.test(text);
}
