import { ACCOUNT, CREDENTIALS } from '../clients.ts';
import { openGuard, type Principal } from './guard.ts';

/** The operator: may do everything. */
export const OPERATOR: Principal = {
  ...CREDENTIALS,
  arn: `arn:aws:iam::${ACCOUNT}:user/${CREDENTIALS.accessKeyId}`,
  role: CREDENTIALS.accessKeyId,
};

/** Allows no other caller anything. */
export const OPERATOR_ONLY = openGuard([OPERATOR]);
