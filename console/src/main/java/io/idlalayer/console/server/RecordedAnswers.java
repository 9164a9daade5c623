package io.idlalayer.console.server;

import io.idlalayer.console.history.Learners;
import io.idlalayer.console.history.MoveHistory;
import io.idlalayer.console.history.Note;
import io.idlalayer.console.history.StatusTable;
import io.idlalayer.console.history.UpdateEntry;
import io.idlalayer.console.store.VersionTable;
import java.util.List;
import java.util.SortedMap;

/**
 * What a report file holds: the answers that a server would have given.
 *
 * @param history by learner, as the answers that follow
 * @param models empty if the folder of the models is not known
 */
public record RecordedAnswers(
    ConsoleInfo console,
    List<Learners.Learner> learners,
    SortedMap<String, StatusTable> history,
    SortedMap<String, List<UpdateEntry>> updates,
    SortedMap<String, List<Note>> events,
    SortedMap<String, MoveHistory> moves,
    SortedMap<String, VersionTable> models) {}
