/** A book, or a tool, that guests recommend. */
export interface Title {
  readonly title: string;
  /** Of a book. */
  readonly author?: string;
  /** Of a tool: what it is. */
  readonly what?: string;
}

const book = (title: string, author: string): Title => ({ title, author });
const tool = (title: string, what: string): Title => ({ title, what });

/** Everything that can be recommended. All of it is invented. */
export const TITLES: readonly Title[] = [
  book("The Quiet Ledger", "Edda Moran"),
  book("Small Repairs", "Philip Oyelaran"),
  book("A Field Guide to Failure", "Ruth Kessler"),
  book("Tidewrack", "Morag Inglis"),
  book("Letters from the Night Shift", "Clare Abiodun"),
  book("The Cartographer's Doubt", "Luis Santangel"),
  book("Sowing for Strangers", "Hannah Brightwell"),
  book("The Long Pipe", "George Tamm"),
  book("Counting Rivets", "Dag Ullman"),
  book("What the Foreman Knew", "Bernice Lyle"),
  book("An Index of Rain", "Tomas Vale"),
  book("Grease", "Ottilie Brandt"),
  book("The Weight of a Door", "Karim Saleh"),
  book("Slow Water", "Junko Arai"),
  book("The Apprentice's Year", "Maud Fenwick"),
  book("Useful Silence", "Peter Oduya"),
  book("Notes on Standing Still", "Irena Kovac"),
  book("The Second Signature", "Howard Pell"),
  book("Ninety Ways to Tie It Down", "Captain Ada Strand"),
  book("Dust and Its Habits", "Rosalind Chu"),
  book("A Short History of Maintenance", "Emil Darrow"),
  book("The Man Who Wound the Town", "Sabine Lefort"),
  book("Salt", "Njeri Mwangi"),
  book("Ordinary Load", "Vikram Sethna"),
  book("The Committee of Bakers", "Florian Ash"),
  book("Close Enough", "Wanda Piers"),
  book("The Empty Shelf", "Isidore Lamb"),
  book("Good Enough for Tuesday", "Carmel Reyes"),
  book("Under the Bonnet of the State", "Niamh Corrigan"),
  book("Everything Leaks", "Joost Verhoeven"),
  book("The Surveyor's Widow", "Agnes Holloway"),
  book("On Being Relieved", "Samir Toukan"),
  book("A Ladder for Mr Voss", "Petra Lund"),
  book("Low Light", "Ines Carvalho"),
  book("Weights and Manners", "Oliver Stroud"),
  tool("Pocket Plumb", "a brass plumb bob that folds into its own case"),
  tool("Lanternfish", "a head torch with a red setting, so that nobody is blinded"),
  tool("Tallybook", "a waterproof notebook with numbered pages"),
  tool("Kestrel Gauge", "a feeler gauge with rounded corners"),
  tool("Second Pair", "a checklist on cards, one card to a job"),
  tool("Marrow", "a wax that stops a thread from seizing"),
  tool("Old Faithful Clamp", "a clamp that you can set with one hand and a cold one at that"),
  tool("Greyscale", "a strip of greys for photographing damage honestly"),
  tool("Quiet Bell", "a timer that shakes in your pocket and makes no sound"),
  tool("Chalkline Blue", "a chalk that survives one night of rain and not two"),
  tool("Bearing Ear", "a listening rod with a wooden bulb"),
  tool("Plainlog", "a program that keeps a diary in one text file"),
];

/** Why one should read or buy it; said after the title. */
export const REASONS: readonly string[] = [
  "I have given away {#3-9} copies and never got one back.",
  "It is short, and it is not sure of itself, which I trust.",
  "There is a chapter in the middle that is worth the price and the dull beginning.",
  "It taught me to write down what I did not check as well as what I did.",
  "I read it on a night when nothing was working, and in the morning something was.",
  "My {boss} left it on my desk without a word, and I understood.",
  "You will disagree with a third of it, and the third will change every year.",
  "It has nothing to do with my trade and it explains all of it.",
  "I bought it for the pictures and kept it for the footnotes.",
  "It is the only thing of its kind that admits how boring the good days are.",
  "Every apprentice of mine gets one, and most of them even thank me for it.",
  "It is out of print, I am afraid, but ask at a market on a wet day.",
  "It made me slower, and I mean that as praise.",
  "I keep it in the van, next to the biscuits, where I am sure to find it.",
];

/** How a guest answers the closing question about a book. */
export const BOOK_ANSWERS: readonly string[] = [
  'I would hand people "{title}" by {author}.',
  'There is one I keep giving away: "{title}", by {author}.',
  'That is easy for once. "{title}" by {author}.',
  'I thought about this on the train. {author}, "{title}".',
  'Let it be "{title}" by {author}, if your library still has it.',
  'Everyone expects a manual from me, so no manual: "{title}" by {author}.',
];

/** How a guest answers the closing question with a tool. */
export const TOOL_ANSWERS: readonly string[] = [
  'May it be a thing and not a book? Then the "{title}", {what}.',
  'I do not read much in season. Get yourself a "{title}": it is {what}.',
  'Something for the pocket. They call it "{title}", {what}.',
];

/** How a guest adds a second one. */
export const SECOND_ANSWERS: readonly string[] = [
  "And if I may have two, {also}.",
  "There is a second, since you did not say only one: {also}.",
  "My colleagues would be cross if I left out {also}.",
];

/** Titles mentioned in passing, which nobody recommends: episode and what is said. */
export const IN_PASSING: Readonly<Record<number, string>> = {
  8: 'People keep lending me "The Agile Cathedral", and I keep returning it with the bookmark on page ten.',
  14:
    'Everyone quotes "Vanishing Media" at me, and I have never met anybody who has opened it past the cover.',
  21: 'A consultant once gave us all "Steel Wins", and it has been levelling the tea table since.',
  30: 'They still teach from "Statics for the Impatient" and then wonder why the young ones hurry.',
  36: 'I own "Ship Faster" in two languages and would pay to own it in none.',
};

/** Titles that the host passes on from listeners, who are not guests: episode and title. */
export const FROM_LISTENERS: Readonly<Record<number, string>> = {
  7: "The Unlit Stove",
  12: "North Is a Rumour",
  17: "Crumb",
  24: "A Hedge Is a Sentence",
  33: "Lights in Pairs",
  38: "Pendulum Country",
};
