import { CfnCondition, CfnParameter, CfnRule, Fn, type Stack } from 'aws-cdk-lib';
import { PARAMETERS } from './parameter-table.ts';

type Given = Readonly<Record<Uncapitalize<keyof typeof PARAMETERS>, CfnParameter>>;

/** The parameters of the stack, and the conditions that follow from them. */
export interface Parameters extends Given {
  /** Whether the stages have a limit of runs at a time, as a small account needs it. */
  readonly limitsStages: CfnCondition;
  /** Whether the login, webhooks and stages have reserved runs. */
  readonly reserves: CfnCondition;
}

export function parameters(stack: Stack): Parameters {
  const made = Object.entries(PARAMETERS).map(([id, props]) => {
    const type = typeof props.default === 'number' ? 'Number' : 'String';
    return [`${id.charAt(0).toLowerCase()}${id.slice(1)}`, new CfnParameter(stack, id, { type, ...props })];
  });
  const given: Given = Object.fromEntries(made);
  const { stageConcurrency, reservedConcurrency } = given;
  for (const one of [stageConcurrency, reservedConcurrency]) neverOne(one);
  return {
    ...given,
    limitsStages: notZero('LimitGiven', stageConcurrency),
    reserves: notZero('ReservationGiven', reservedConcurrency),
  };
}

function notZero(id: string, { stack, valueAsString }: CfnParameter): CfnCondition {
  return new CfnCondition(stack, id, { expression: Fn.conditionNot(Fn.conditionEquals(valueAsString, '0')) });
}

/** A list of numbers allows no range with a gap in it, so a rule refuses the 1 before anything is changed. */
function neverOne({ stack, node: { id }, valueAsString }: CfnParameter): void {
  new CfnRule(stack, `${id}IsPossible`, {
    assertions: [
      {
        // https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html#events-sqs-max-concurrency
        assert: Fn.conditionNot(Fn.conditionEquals(valueAsString, '1')),
        assertDescription: `${id} is 2 or more, or 0 for no limit: Lambda allows no limit of 1 at a queue.`,
      },
    ],
  });
}
