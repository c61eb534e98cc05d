/** The region of everything on one machine; it is part of every ARN and of every queue's identity. */
export const REGION = 'us-east-1';

/** The account of everything on one machine. */
export const ACCOUNT = '000000000000';
