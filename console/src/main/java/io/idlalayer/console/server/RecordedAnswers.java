package io.idlalayer.console.server;

import io.idlalayer.console.history.FollowedPlan;
import io.idlalayer.console.history.Learners;
import io.idlalayer.console.history.MoveHistory;
import io.idlalayer.console.history.Note;
import io.idlalayer.console.history.StatusTable;
import io.idlalayer.console.history.UpdateEntry;
import io.idlalayer.console.store.VersionTable;
import java.util.List;
import java.util.SortedMap;

/**
 * The content of a report file: the answers that a server would give.
 *
 * @param history histories by learner, like the answers after it
 * @param models models by learner; empty if the folder of the models is unknown
 */
public record RecordedAnswers(
    ConsoleInfo console,
    List<Learners.Learner> learners,
    SortedMap<String, StatusTable> history,
    SortedMap<String, List<UpdateEntry>> updates,
    SortedMap<String, List<Note>> events,
    SortedMap<String, MoveHistory> moves,
    SortedMap<String, FollowedPlan> plans,
    SortedMap<String, VersionTable> models) {}
