import { applicationsContract } from '../../../../../contracts/applications.ts';
import { hostingPlatformContract } from '../../../../../contracts/hosting-platform.ts';
import { onFakeScalingo } from '../../../../../support/platform/scalingo.ts';

hostingPlatformContract('Scalingo', onFakeScalingo);
applicationsContract('Scalingo', onFakeScalingo);
