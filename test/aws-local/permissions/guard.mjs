// Decides by the policies of roles what a request may do. Plain JavaScript, because it also runs in threads and
// processes that start without a TypeScript loader; guard.d.mts describes it. What it gets is checked before:
// policy-statements.ts refuses every form of a policy that is not understood here.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html

const MAX_DECISIONS = 10_000;
/** Calls on this machine stand for calls over TLS, which bucket and queue policies ask for. */
const ALWAYS = { 'aws:SecureTransport': 'true' };

export function openGuard(principals, report = () => {}) {
  const known = new Map(principals.map((principal) => [principal.accessKeyId, principal]));
  const decisions = new Map();
  const reportOnce = onlyOnce(report);
  const decide = (principal, call) => {
    const key = JSON.stringify([principal.accessKeyId, call]);
    if (decisions.has(key)) return decisions.get(key);
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

function onlyOnce(report) {
  const reported = new Set();
  return (finding) => {
    const key = JSON.stringify(finding);
    if (reported.size < MAX_DECISIONS && reported.size !== reported.add(key).size) report(finding);
  };
}

/** An explicit deny wins over every allow, and what nothing allows is denied. */
function decisionOn({ arn, role, statements }, call) {
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
  return { grant: { role, action: actionIn(allowing, call), resource: resourceIn(allowing, call), conditions } };
}

function applies(statement, call) {
  if (actionIn(statement, call) === undefined || resourceIn(statement, call) === undefined) return false;
  const context = { ...ALWAYS, ...call.context };
  return statement.conditions.every((condition) => holds(condition, context));
}

function actionIn({ actions }, { action }) {
  return actions.find((pattern) => matches(pattern, action, true));
}

function resourceIn({ resources }, { resource }) {
  return resources.find((pattern) => matches(pattern, resource));
}

function holds([operator, key, values], context) {
  const value = Object.hasOwn(context, key) ? context[key] : undefined;
  if (operator === 'Null') return values.includes(String(value === undefined));
  if (value === undefined) return false;
  const isPattern = operator === 'StringLike' || operator === 'ArnLike';
  return values.some((one) => (isPattern ? matches(one, value) : one === value));
}

const expressions = new Map();

export function matches(pattern, text, ignoreCase = false) {
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
