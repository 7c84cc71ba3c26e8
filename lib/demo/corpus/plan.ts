import type { GuestName } from "./guests.ts";

/** What is fixed of an episode; the rest is drawn. */
export interface PlannedEpisode {
  readonly title: string;
  readonly guests: readonly GuestName[];
}

const one = (title: string, ...guests: GuestName[]): PlannedEpisode => ({ title, guests });

/** The episodes in order; the first is number 1. */
export const PLAN: readonly PlannedEpisode[] = [
  one("The Hum in the Hangers", "Mara"),
  one("A Hundred Years of Wet Feet", "Ilse"),
  one("Paper Remembers the Damp", "Priya"),
  one("Between the Third and the Fourth Floor", "Kenji"),
  one("Slack", "Gwen", "Farid"),
  one("The Vault That Must Never Be Full", "Amara"),
  one("Four Tonnes of Patience", "Anselm"),
  one("Nobody Has Restarted It Since", "Wen"),
  one("Eyes or Instruments", "Mara", "Owen"),
  one("The Rota Is a Living Thing", "Noor"),
  one("Letting Go at Midnight", "Joaquín"),
  one("What the Map Leaves Out", "Desmond"),
  one("The Taste of Nothing", "Carla"),
  one("Keep the Reel or Keep the Picture", "Priya", "Henrik"),
  one("The Town Was Four Minutes Slow", "Hugo"),
  one("Coming Alongside", "Tobias"),
  one("The Third Rise", "Beatriz"),
  one("Burn It or Mend It", "Wen", "Sam"),
  one("Nine Thousand Potatoes", "Luc"),
  one("The Tray Comes Back Clean", "Elena"),
  one("Rust Never Takes a Holiday", "Mara"),
  one("Seventy Per Cent of Rain", "Rhea"),
  one("Whose Seed Is It", "Amara", "Luc"),
  one("The Stone at the Corner of the Field", "Sigrid"),
  one("Below the Lowest Street", "Piotr"),
  one("One Step Is Enough", "Dolores"),
  one("The Note Between the Notes", "Yara"),
  one("Out of Order", "Kenji", "Dolores"),
  one("The Sea Does Not Round Down", "Ilse"),
  one("A Safety Factor of Two", "Owen"),
  one("Red Means Wait", "Gwen"),
  one("Handover at Seven", "Noor"),
  one("A Ship Without a Stranger", "Ilse", "Tobias"),
  one("The Last Ferry Pier", "Mara"),
  one("The Ninety Second Stop", "Farid"),
  one("Friday Is a Fine Day to Ship", "Sam"),
  one("Rain Pays Nothing", "Carla", "Piotr"),
  one("Winding Day", "Hugo"),
  one("Flour From One Hill", "Beatriz"),
  one("The Bridge We Took Down", "Mara"),
];

/** The usual host, and who stands in for her. */
export const HOSTS: { readonly usual: string; readonly standIn: string } = {
  usual: "Nora Castellan",
  standIn: "Jules Abara",
};

/** Episodes that the stand-in presents. */
export const STAND_IN: ReadonlySet<number> = new Set([6, 13, 20, 27, 32, 39]);

/** Sponsors and what is said of them. */
export const SPONSORS: Readonly<Record<string, string>> = {
  "Fernhill Tea": "loose leaf in a tin you will end up keeping screws in",
  "Brightnail Hardware": "who will sell you one bolt, if one bolt is what you need",
  "Quayside Mutual": "insurance written in sentences that a person can finish",
  "Lumen Bicycle Lamps": "which you charge on Sunday and forget until the next one",
  "Oatfield Notebooks": "with paper that takes a pencil in the rain",
  "Slowpost": "the letter service that promises Thursday and means it",
};

/** Titles that several guests recommend: episode and guest of each. Everything else is drawn. */
export const SHARED_TITLES: Readonly<
  Record<string, readonly (readonly [episode: number, guest: GuestName])[]>
> = {
  "The Quiet Ledger": [[1, "Mara"], [10, "Noor"], [25, "Piotr"]],
  "Small Repairs": [[4, "Kenji"], [15, "Hugo"]],
  "A Field Guide to Failure": [[9, "Owen"], [18, "Sam"]],
  "Tidewrack": [[2, "Ilse"], [16, "Tobias"], [22, "Rhea"]],
  "Letters from the Night Shift": [[20, "Elena"], [31, "Gwen"]],
  "The Cartographer's Doubt": [[12, "Desmond"], [34, "Mara"]],
  // These two pairs of guests work for the same company.
  "Sowing for Strangers": [[6, "Amara"], [19, "Luc"]],
  "The Long Pipe": [[13, "Carla"], [37, "Piotr"]],
};

/** A figure that a guest gives differently in two episodes, without noticing. */
export interface Contradiction {
  readonly guest: GuestName;
  readonly subject: string;
  readonly first: { readonly episode: number; readonly value: number };
  readonly second: { readonly episode: number; readonly value: number };
  /** What is said, with `#` in the place of the figure. */
  readonly said: readonly [string, string];
}

/** Figures that do not fit together. */
export const CONTRADICTIONS: readonly Contradiction[] = [
  {
    guest: "Mara",
    subject: "bridges on her round",
    first: { episode: 1, value: 340 },
    second: { episode: 21, value: 412 },
    said: [
      "There are # bridges on my round, counting the ones that only cows use.",
      "I have # bridges to get round, and it has been that number since the day I started.",
    ],
  },
  {
    guest: "Ilse",
    subject: "year in which the record at Northwater begins",
    first: { episode: 2, value: 1897 },
    second: { episode: 29, value: 1904 },
    said: [
      "The record begins in #, in a hand so neat that I can still read it without a glass.",
      "Our first page is from #, and whoever wrote it had never spilled ink in his life.",
    ],
  },
  {
    guest: "Hugo",
    subject: "steps to the clock at Saint Audrey",
    first: { episode: 15, value: 188 },
    second: { episode: 38, value: 206 },
    said: [
      "It is # steps up to the clock at Saint Audrey, and I have carried a vice up every one.",
      "Saint Audrey has # steps; I count them each week so that I need not think of my knees.",
    ],
  },
];
