import { applicationsContract } from '../../../../../contracts/applications.ts';
import { hostingPlatformContract } from '../../../../../contracts/hosting-platform.ts';
import { onFakeHeroku } from '../../../../../support/platform/heroku.ts';

hostingPlatformContract('Heroku', onFakeHeroku);
applicationsContract('Heroku', onFakeHeroku);
