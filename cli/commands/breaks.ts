import type { Refusal } from '../../bridge/client/index.ts';
import type { Face } from '../faces/face.ts';
import { ended } from '../faces/sentence.ts';

/** Says once that a stream broke, and once that it is back, however often it had to try. */
export class Breaks {
  readonly #face: Face;
  #isAway = false;

  constructor(face: Face) {
    this.#face = face;
  }

  readonly onBreak = ({ sentence }: Refusal): void => {
    if (!this.#isAway) this.#face.say(`${ended(sentence)} Trying until it is back; Ctrl-C ends it.`);
    this.#isAway = true;
  };

  /** Something came. */
  back(sentence: string): void {
    if (this.#isAway) this.#face.say(sentence);
    this.#isAway = false;
  }
}
